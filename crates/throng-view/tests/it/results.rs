//! Results mode over a socket: the report, the list of runs, and a run again.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use throng_lab::{Maps, RunContext, RunRow, store, task};
use throng_view::{Options, ResultFolders, Server, Setup};

use crate::browser::{Browser, Running};

/// Makes a folder with the runs of two planners on one problem.
fn folder() -> tempfile::TempDir {
    let context = RunContext::new(Maps::default(), true, false, Arc::default());
    let run = |planner: &str| {
        let mut row = RunRow::new();
        for (name, value) in [
            ("experiment", "try<b>"),
            ("scale", "smoke"),
            ("task", "crowd"),
            ("map", "builtin:rooms"),
            ("corners", "forbid"),
            ("terrain", "uniform"),
            ("type", "random"),
            ("planner", planner),
        ] {
            row.set(name, value);
        }
        for (name, value) in [("agents", 30), ("instance", 0), ("seed", 7), ("max_ticks", 400)] {
            row.set(name, value as u64);
        }
        (task("crowd").unwrap().run)(&context, &row).unwrap().unwrap().row
    };
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<RunRow> = ["far", "pibt"].map(run).into();
    store::write_rows(&throng_lab::files::Files::default(), &folder.path().join(store::RESULTS_FILE), &rows)
        .unwrap();
    folder
}

fn options(folder: &Path) -> Options {
    let setup = Setup { map: "builtin:arena".to_owned(), agents: 5, ..Setup::default() };
    let results = ResultFolders { folders: vec![folder.to_owned()], maps: Vec::new() };
    Options { setup, results, ..Options::default() }
}

/// Waits for a status in which the results have a state.
fn wait_for_state(browser: &mut Browser, state: &str) -> Value {
    browser.until(|status| status["results"]["state"] == state)
}

/// Requests the report. Returns the whole answer.
fn report(host: &str, claimed: &str, query: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /results.html{query} HTTP/1.1\r\nHost: {claimed}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_stored_run_is_listed_repeated_and_shown() {
    let folder = folder();
    let server = Running::with(options(folder.path()));
    let mut browser = server.connect();
    let status = wait_for_state(&mut browser, "ready");
    assert_eq!((&status["results"]["runs"], &status["results"]["version"]), (&2.into(), &1.into()));
    browser.order(r#"{"do":"runs","filter":"planner=pibt","from":0}"#);
    let list = browser.wait_for("runs");
    assert_eq!((&list["total"], &list["runs"][0]["planner"]), (&1.into(), &"pibt".into()), "{list}");
    assert_eq!(list["runs"][0]["moves"], true);
    let number = &list["runs"][0]["run"];
    browser.order(&format!(r#"{{"do":"repeat","run":{number},"version":1}}"#));
    let status = browser.until(|status| status["replay"]["run"].is_object());
    let run = &status["replay"]["run"];
    assert_eq!(run["is-same"], true, "{run}");
    assert!(run["measures"].as_array().unwrap().iter().all(|measure| measure[2].is_null()), "{run}");
    let rows = throng_lab::Results::open(&[folder.path()]).unwrap().rows;
    let stored = rows.iter().find(|row| row.text("planner") == Some("pibt")).unwrap();
    assert_eq!(status["replay"]["ticks"].as_i64(), stored.integer("ticks"));
    browser.order(r#"{"do":"close"}"#);
    browser.until(|status| status["replay"].is_null());
    // Requests that make no sense get an answer.
    for (order, reason) in [
        (r#"{"do":"repeat","run":99,"version":1}"#, "no such run"),
        (r#"{"do":"repeat","run":0,"version":7}"#, "read again"),
    ] {
        browser.order(order);
        let error = browser.wait_for("error");
        assert!(error["text"].as_str().unwrap().contains(reason), "{error}");
    }
    browser.order(r#"{"do":"stop-repeat"}"#);
    assert!(browser.hash()["hashes"][0].is_string());
}

#[test]
fn the_report_is_served_without_scripts() {
    let folder = folder();
    let server = Running::with(options(folder.path()));
    wait_for_state(&mut server.connect(), "ready");
    let host = server.host();
    let page = report(host, host, "?v=1");
    let (head, body) = page.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
    assert!(head.contains("default-src 'none'") && head.contains("frame-ancestors 'self'"), "{head}");
    assert!(!head.contains("script-src"), "{head}");
    assert!(body.contains("try&lt;b&gt;") && !body.contains("try<b>"), "names are escaped");
    assert!(report(host, "example.org", "").starts_with("HTTP/1.1 403"));
    let without = Running::with(Options { results: ResultFolders::default(), ..options(folder.path()) });
    assert!(report(without.host(), without.host(), "").starts_with("HTTP/1.1 404"));
    let wide = Running::with(Options { address: [0, 0, 0, 0].into(), ..options(folder.path()) });
    wait_for_state(&mut wide.connect(), "ready");
    let token = wide.url.split_once('?').unwrap().1;
    assert!(report(wide.host(), wide.host(), "?v=1").starts_with("HTTP/1.1 403"));
    assert!(report(wide.host(), wide.host(), &format!("?v=1&{token}")).starts_with("HTTP/1.1 200"));
}

#[test]
fn damaged_results_are_refused_at_the_start_and_reported_later() {
    let folder = folder();
    let file = folder.path().join(store::RESULTS_FILE);
    let bytes = std::fs::read(&file).unwrap();
    let server = Running::with(options(folder.path()));
    let mut browser = server.connect();
    wait_for_state(&mut browser, "ready");
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    browser.order(r#"{"do":"read-results"}"#);
    let status = wait_for_state(&mut browser, "failed");
    assert!(status["results"]["error"].as_str().unwrap().contains("damaged"), "{status}");
    browser.order(r#"{"do":"runs","filter":"","from":0}"#);
    assert_eq!(browser.wait_for("error")["about"], "results");
    let refused = Server::bind(options(folder.path())).unwrap_err().to_string();
    assert!(refused.contains("damaged"), "{refused}");
    std::fs::write(&file, &bytes).unwrap();
    browser.order(r#"{"do":"read-results"}"#);
    assert_eq!(wait_for_state(&mut browser, "ready")["results"]["version"], 3);
}
