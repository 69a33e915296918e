//! `throng maps fetch` from a local server that can misbehave.

use std::io::{Cursor, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::fetch_server::{Fault, Requested, Server};
use crate::support::{failure, success};

const MAP: &str = "type octile\nheight 2\nwidth 3\nmap\n.@.\n...\n";
const SCENARIO: &str = "version 1\n0\tsmall.map\t3\t2\t0\t0\t2\t0\t4\n";

/// Returns a zip archive with these entries. They are stored uncompressed, so that a damaged byte is a damaged file.
fn archive(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, content) in entries {
        writer.start_file(*name, options).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Starts a server with a valid `dao` set.
pub(crate) fn server() -> Server {
    let server = Server::start();
    server.put("dao/dao-map.zip", archive(&[("dao/small.map", MAP), ("dao/readme.txt", "x")]));
    server.put("dao/dao-scen.zip", archive(&[("small.map.scen", SCENARIO)]));
    server
}

/// Runs `throng maps fetch …` with this data folder.
fn fetch(data: &Path, from: &str, arguments: &[&str]) -> Output {
    fetch_command(data, from, arguments).output().unwrap()
}

/// Returns the command `throng maps fetch …` with this data folder.
pub(crate) fn fetch_command(data: &Path, from: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    for proxy in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(proxy);
    }
    command.args(["maps", "fetch"]).args(arguments).args(["--from", from]);
    command.env("THRONG_DATA", data);
    command
}

/// Returns all files below a folder as sorted relative paths, except lock files, which stay.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|extension| extension != "lock") {
                found.push(path.strip_prefix(folder).unwrap().into());
            }
        }
    }
    found.sort();
    found
}

/// Returns the log entry of a request.
fn requested(path: &str, range: Option<usize>, partial: bool) -> Requested {
    Requested { path: path.to_owned(), range, partial }
}

#[test]
fn sets_are_fetched_once() {
    let (data, server) = (TempDir::new().unwrap(), server());
    let text = success(&fetch(data.path(), server.address(), &["dao"]));
    assert!(text.starts_with("dao: fetched, 1 maps and 1 scenario files in"), "{text}");
    // Folders inside archives, other files and temporary files are gone.
    assert_eq!(files(data.path()), [Path::new("dao/small.map"), Path::new("dao/small.map.scen")]);
    assert_eq!(std::fs::read_to_string(data.path().join("dao/small.map")).unwrap(), MAP);
    assert_eq!(server.log().len(), 2);

    let text = success(&fetch(data.path(), server.address(), &["dao"]));
    assert!(text.starts_with("dao: present, 1 maps"), "{text}");
    assert_eq!(server.log(), []);
}

#[test]
fn force_replaces_a_set() {
    let (data, server) = (TempDir::new().unwrap(), server());
    std::fs::create_dir(data.path().join("dao")).unwrap();
    std::fs::write(data.path().join("dao/old.map"), MAP).unwrap();
    let json = success(&fetch(data.path(), server.address(), &["dao", "--force", "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((json["set"].as_str(), json["present"].as_bool()), (Some("dao"), Some(false)));
    assert_eq!((json["maps"].as_u64(), json["scenarios"].as_u64()), (Some(1), Some(1)));
    assert_eq!(files(data.path()), [Path::new("dao/small.map"), Path::new("dao/small.map.scen")]);
}

#[test]
fn scenarios_of_the_mapf_set_have_their_own_folder() {
    let (data, server) = (TempDir::new().unwrap(), Server::start());
    server.put("mapf/mapf-map.zip", archive(&[("small.map", MAP)]));
    server.put("mapf/mapf-scen-random.zip", archive(&[("scen-random/small-random-1.scen", SCENARIO)]));
    server.put("mapf/mapf-scen-even.zip", archive(&[("scen-even/small-even-1.scen", SCENARIO)]));
    success(&fetch(data.path(), server.address(), &["mapf"]));
    let expected = ["mapf/scen/small-even-1.scen", "mapf/scen/small-random-1.scen", "mapf/small.map"];
    assert_eq!(files(data.path()), expected.map(PathBuf::from));
}

#[test]
fn interrupted_connections_are_resumed() {
    let (data, server) = (TempDir::new().unwrap(), server());
    server.plan(Fault::CutAfter(50));
    server.plan(Fault::CutAfter(7));
    success(&fetch(data.path(), server.address(), &["dao"]));
    let expected = [
        requested("dao/dao-map.zip", None, false),
        requested("dao/dao-map.zip", Some(50), true),
        requested("dao/dao-map.zip", Some(57), true),
        requested("dao/dao-scen.zip", None, false),
    ];
    assert_eq!(server.log(), expected);
    assert_eq!(std::fs::read_to_string(data.path().join("dao/small.map")).unwrap(), MAP);
}

#[test]
fn a_second_command_resumes_the_download() {
    let (data, server) = (TempDir::new().unwrap(), server());
    server.plan(Fault::CutAfter(50));
    server.plan(Fault::Unavailable);
    let text = failure(&fetch(data.path(), server.address(), &["dao"]), 1);
    assert!(text.contains("503"), "{text}");
    assert!(!data.path().join("dao").exists());
    server.log();
    success(&fetch(data.path(), server.address(), &["dao"]));
    assert_eq!(server.log()[0], requested("dao/dao-map.zip", Some(50), true));
}

#[test]
fn changed_files_are_downloaded_from_the_start() {
    let (data, server) = (TempDir::new().unwrap(), server());
    server.plan(Fault::CutAfter(50));
    server.plan(Fault::Unavailable);
    failure(&fetch(data.path(), server.address(), &["dao"]), 1);
    server.put("dao/dao-map.zip", archive(&[("other.map", MAP), ("small.map", MAP)]));
    server.log();
    success(&fetch(data.path(), server.address(), &["dao"]));
    assert_eq!(server.log()[0], requested("dao/dao-map.zip", Some(50), false));
    assert_eq!(files(data.path())[0], Path::new("dao/other.map"));
}

#[test]
fn repeatedly_truncated_downloads_fail() {
    let (data, server) = (TempDir::new().unwrap(), server());
    (0..4).for_each(|_| server.plan(Fault::CutAfter(5)));
    let text = failure(&fetch(data.path(), server.address(), &["dao"]), 1);
    assert!(text.contains("interrupted; run the same command again to resume"), "{text}");
    assert!(text.contains("received 20 of "), "{text}");
}

/// Fetches a `dao` set with this map archive, which must fail and leave only files that allow resuming. Then fetches a
/// valid one.
fn assert_refused(bytes: Vec<u8>, reason: &str) {
    let (data, server) = (TempDir::new().unwrap(), server());
    server.put("dao/dao-map.zip", bytes);
    let text = failure(&fetch(data.path(), server.address(), &["dao"]), 1);
    assert!(text.contains(reason), "{text}");
    assert!(text.contains("/dao/dao-map.zip"), "{text}");
    let left = files(data.path());
    assert!(left.iter().all(|path| path.starts_with(".downloads")), "{left:?}");
    assert!(!left.iter().any(|path| path.ends_with("dao-map.zip")), "{left:?}");
    assert!(!data.path().parent().unwrap().join("evil.map").exists());

    server.put("dao/dao-map.zip", archive(&[("small.map", MAP)]));
    success(&fetch(data.path(), server.address(), &["dao"]));
}

#[test]
fn other_files_than_zip_archives_are_refused() {
    assert_refused(b"<html>Welcome to the hotel's network</html>".to_vec(), "not a zip archive");
}

#[test]
fn damaged_entries_are_refused() {
    let mut bytes = archive(&[("small.map", MAP)]);
    let at = bytes.windows(3).position(|window| window == b".@.").unwrap();
    bytes[at] = b'@';
    assert_refused(bytes, "\"small.map\" is damaged");
}

#[test]
fn malformed_maps_are_refused() {
    assert_refused(
        archive(&[("small.map", "type octile\nheight 3\nwidth 3\nmap\n...\n")]),
        "\"small.map\" is refused",
    );
}

#[test]
fn malformed_scenario_files_are_refused() {
    let (data, server) = (TempDir::new().unwrap(), server());
    server.put("dao/dao-scen.zip", archive(&[("small.map.scen", "version 1\n0\tsmall.map\t3\n")]));
    let text = failure(&fetch(data.path(), server.address(), &["dao"]), 1);
    assert!(text.contains("\"small.map.scen\" is refused: small.map.scen:2:"), "{text}");
}

#[test]
fn entries_outside_the_folder_are_refused() {
    for name in ["../evil.map", "maps/../../evil.map", "/tmp/evil.map"] {
        assert_refused(archive(&[("small.map", MAP), (name, MAP)]), "outside the folder");
    }
}

#[test]
fn entries_with_the_same_name_are_refused() {
    assert_refused(
        archive(&[("a/small.map", MAP), ("b/small.map", MAP)]),
        "two entries have the name \"small.map\"",
    );
}

#[test]
fn oversized_entries_are_refused() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    writer.start_file("bomb.map", options).unwrap();
    for _ in 0..33 {
        writer.write_all(&vec![b'.'; 1 << 20]).unwrap();
    }
    assert_refused(writer.finish().unwrap().into_inner(), "`archive-entry`");
}

#[test]
fn missing_files_are_reported() {
    let (data, server) = (TempDir::new().unwrap(), Server::start());
    let text = failure(&fetch(data.path(), server.address(), &["dao"]), 1);
    assert!(text.contains("/dao/dao-map.zip was not found (404)") && text.contains("--from"), "{text}");
}

#[test]
fn an_unreachable_server_is_reported() {
    let data = TempDir::new().unwrap();
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let text = failure(&fetch(data.path(), &format!("http://127.0.0.1:{port}"), &["dao"]), 1);
    assert!(text.contains("cannot fetch http://127.0.0.1"), "{text}");
}

#[test]
fn bad_usage_has_its_own_exit_code() {
    let data = TempDir::new().unwrap();
    let text = failure(&fetch(data.path(), "http://127.0.0.1:1", &["mazs"]), 2);
    assert!(text.contains("'mazes'"), "{text}");
    let text = failure(&fetch(data.path(), "ftp://127.0.0.1", &["dao"]), 2);
    assert!(text.contains("http://"), "{text}");
}

#[test]
fn folders_without_maps_are_not_replaced_silently() {
    let (data, server) = (TempDir::new().unwrap(), server());
    std::fs::create_dir(data.path().join("dao")).unwrap();
    std::fs::write(data.path().join("dao/diary.txt"), "mine").unwrap();
    let text = failure(&fetch(data.path(), server.address(), &["dao"]), 1);
    assert!(text.contains("--force"), "{text}");
    assert!(data.path().join("dao/diary.txt").exists());
}

/// Starts a server that answers every request with these bytes, then one byte every few milliseconds.
fn raw_server(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4_096]);
            let mut sent = stream.write_all(answer.as_bytes());
            while sent.is_ok() && answer.contains("200 OK") {
                std::thread::sleep(Duration::from_millis(20));
                sent = stream.write_all(b"x");
            }
        }
    });
    address
}

/// Each byte comes in time, and the whole archive would take a day.
#[test]
fn a_fetch_has_a_time_limit() {
    let data = TempDir::new().unwrap();
    let address = raw_server("HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n");
    let begun = Instant::now();
    let text = failure(&fetch(data.path(), &address, &["dao", "--time-limit", "1"]), 1);
    assert!(text.contains("time limit") && text.contains("resume"), "{text}");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    // What was received is kept for the next attempt.
    assert!(data.path().join(".downloads/dao-map.zip.part").metadata().unwrap().len() > 0);
}

#[test]
fn a_redirect_to_a_file_is_refused_as_one() {
    let data = TempDir::new().unwrap();
    let address =
        raw_server("HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n");
    let text = failure(&fetch(data.path(), &address, &["dao"]), 1);
    assert!(text.contains("redirects to file:///etc/passwd"), "{text}");
}

/// Processes that wait for each other lock the same file: one of them fetches at a time.
#[test]
fn the_lock_of_a_set_is_never_removed() {
    let (data, server) = (TempDir::new().unwrap(), server());
    success(&fetch(data.path(), server.address(), &["dao"]));
    let lock = std::fs::File::open(data.path().join(".downloads/dao.lock")).unwrap();
    lock.try_lock().unwrap();
    let text = failure(&fetch(data.path(), server.address(), &["dao", "--force"]), 1);
    assert!(text.contains("another process is fetching"), "{text}");
    drop(lock);
    success(&fetch(data.path(), server.address(), &["dao", "--force"]));
}
