//! `throng maps fetch` against a server on loopback that can misbehave.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::run::{bad, good};
use crate::server::{Asked, Fault, Server};

const MAP: &str = "type octile\nheight 2\nwidth 3\nmap\n.@.\n...\n";
const SCENARIO: &str = "version 1\n0\tsmall.map\t3\t2\t0\t0\t2\t0\t4\n";

/// A zip archive with these entries. They are stored as they are, so that damage to a byte is damage to a file.
fn archive(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, content) in entries {
        writer.start_file(*name, options).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A server with a good `dao` set.
fn server() -> Server {
    let server = Server::start();
    server.put("dao/dao-map.zip", archive(&[("dao/small.map", MAP), ("dao/readme.txt", "x")]));
    server.put("dao/dao-scen.zip", archive(&[("small.map.scen", SCENARIO)]));
    server
}

/// `throng maps fetch …` with this data folder.
fn fetch(data: &Path, from: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    for proxy in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(proxy);
    }
    command.args(["maps", "fetch"]).args(arguments).args(["--from", from]);
    command.env("THRONG_DATA", data).output().unwrap()
}

/// All files below a folder, as sorted paths relative to it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().into());
            }
        }
    }
    found.sort();
    found
}

/// The log line of a request.
fn asked(path: &str, range: Option<usize>, partial: bool) -> Asked {
    Asked { path: path.to_owned(), range, partial }
}

#[test]
fn a_set_is_fetched_once() {
    let (data, server) = (TempDir::new().unwrap(), server());
    let text = good(&fetch(data.path(), server.address(), &["dao"]));
    assert!(text.starts_with("dao: fetched, 1 maps and 1 scenario files in"), "{text}");
    // Folders inside archives, other files and everything temporary are gone.
    assert_eq!(files(data.path()), [Path::new("dao/small.map"), Path::new("dao/small.map.scen")]);
    assert_eq!(std::fs::read_to_string(data.path().join("dao/small.map")).unwrap(), MAP);
    assert_eq!(server.log().len(), 2);

    let text = good(&fetch(data.path(), server.address(), &["dao"]));
    assert!(text.starts_with("dao: already there, 1 maps"), "{text}");
    assert_eq!(server.log(), []);
}

#[test]
fn force_replaces_a_set() {
    let (data, server) = (TempDir::new().unwrap(), server());
    std::fs::create_dir(data.path().join("dao")).unwrap();
    std::fs::write(data.path().join("dao/old.map"), MAP).unwrap();
    let json = good(&fetch(data.path(), server.address(), &["dao", "--force", "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((json["set"].as_str(), json["present"].as_bool()), (Some("dao"), Some(false)));
    assert_eq!((json["maps"].as_u64(), json["scenarios"].as_u64()), (Some(1), Some(1)));
    assert_eq!(files(data.path()), [Path::new("dao/small.map"), Path::new("dao/small.map.scen")]);
}

#[test]
fn scenarios_of_the_multi_agent_set_have_their_folder() {
    let (data, server) = (TempDir::new().unwrap(), Server::start());
    server.put("mapf/mapf-map.zip", archive(&[("small.map", MAP)]));
    server.put("mapf/mapf-scen-random.zip", archive(&[("scen-random/small-random-1.scen", SCENARIO)]));
    server.put("mapf/mapf-scen-even.zip", archive(&[("scen-even/small-even-1.scen", SCENARIO)]));
    good(&fetch(data.path(), server.address(), &["mapf"]));
    let expected = ["mapf/scen/small-even-1.scen", "mapf/scen/small-random-1.scen", "mapf/small.map"];
    assert_eq!(files(data.path()), expected.map(PathBuf::from));
}

#[test]
fn a_cut_connection_is_taken_up_again() {
    let (data, server) = (TempDir::new().unwrap(), server());
    server.plan(Fault::CutAfter(50));
    server.plan(Fault::CutAfter(7));
    good(&fetch(data.path(), server.address(), &["dao"]));
    let expected = [
        asked("dao/dao-map.zip", None, false),
        asked("dao/dao-map.zip", Some(50), true),
        asked("dao/dao-map.zip", Some(57), true),
        asked("dao/dao-scen.zip", None, false),
    ];
    assert_eq!(server.log(), expected);
    assert_eq!(std::fs::read_to_string(data.path().join("dao/small.map")).unwrap(), MAP);
}

#[test]
fn a_later_command_resumes() {
    let (data, server) = (TempDir::new().unwrap(), server());
    server.plan(Fault::CutAfter(50));
    server.plan(Fault::Unavailable);
    let text = bad(&fetch(data.path(), server.address(), &["dao"]), 1);
    assert!(text.contains("503"), "{text}");
    assert!(!data.path().join("dao").exists());
    server.log();
    good(&fetch(data.path(), server.address(), &["dao"]));
    assert_eq!(server.log()[0], asked("dao/dao-map.zip", Some(50), true));
}

#[test]
fn a_changed_file_is_fetched_from_its_start() {
    let (data, server) = (TempDir::new().unwrap(), server());
    server.plan(Fault::CutAfter(50));
    server.plan(Fault::Unavailable);
    bad(&fetch(data.path(), server.address(), &["dao"]), 1);
    server.put("dao/dao-map.zip", archive(&[("other.map", MAP), ("small.map", MAP)]));
    server.log();
    good(&fetch(data.path(), server.address(), &["dao"]));
    assert_eq!(server.log()[0], asked("dao/dao-map.zip", Some(50), false));
    assert_eq!(files(data.path())[0], Path::new("dao/other.map"));
}

#[test]
fn a_truncated_download_says_so() {
    let (data, server) = (TempDir::new().unwrap(), server());
    (0..4).for_each(|_| server.plan(Fault::CutAfter(5)));
    let text = bad(&fetch(data.path(), server.address(), &["dao"]), 1);
    assert!(text.contains("cut off; the same command goes on from here"), "{text}");
    assert!(text.contains("20 of "), "{text}");
}

/// Fetches a `dao` set whose map archive is this, which must fail and leave nothing behind but what can be
/// resumed; then a good one.
fn refused(bytes: Vec<u8>, reason: &str) {
    let (data, server) = (TempDir::new().unwrap(), server());
    server.put("dao/dao-map.zip", bytes);
    let text = bad(&fetch(data.path(), server.address(), &["dao"]), 1);
    assert!(text.contains(reason), "{text}");
    assert!(text.contains("/dao/dao-map.zip"), "{text}");
    let left = files(data.path());
    assert!(left.iter().all(|path| path.starts_with(".downloads")), "{left:?}");
    assert!(!left.iter().any(|path| path.ends_with("dao-map.zip")), "{left:?}");
    assert!(!data.path().parent().unwrap().join("evil.map").exists());

    server.put("dao/dao-map.zip", archive(&[("small.map", MAP)]));
    good(&fetch(data.path(), server.address(), &["dao"]));
}

#[test]
fn what_is_no_zip_archive_is_refused() {
    refused(b"<html>Welcome to the hotel's network</html>".to_vec(), "not a zip archive");
}

#[test]
fn a_damaged_entry_is_refused() {
    let mut bytes = archive(&[("small.map", MAP)]);
    let at = bytes.windows(3).position(|window| window == b".@.").unwrap();
    bytes[at] = b'@';
    refused(bytes, "\"small.map\" is damaged");
}

#[test]
fn a_bad_map_is_refused() {
    refused(
        archive(&[("small.map", "type octile\nheight 3\nwidth 3\nmap\n...\n")]),
        "\"small.map\" is refused",
    );
}

#[test]
fn a_bad_scenario_is_refused() {
    let (data, server) = (TempDir::new().unwrap(), server());
    server.put("dao/dao-scen.zip", archive(&[("small.map.scen", "version 1\n0\tsmall.map\t3\n")]));
    let text = bad(&fetch(data.path(), server.address(), &["dao"]), 1);
    assert!(text.contains("\"small.map.scen\" is refused: small.map.scen:2:"), "{text}");
}

#[test]
fn an_entry_outside_of_the_folder_is_refused() {
    for name in ["../evil.map", "maps/../../evil.map", "/tmp/evil.map"] {
        refused(archive(&[("small.map", MAP), (name, MAP)]), "outside of the folder");
    }
}

#[test]
fn two_entries_of_one_name_are_refused() {
    refused(archive(&[("a/small.map", MAP), ("b/small.map", MAP)]), "two entries are called \"small.map\"");
}

#[test]
fn a_large_entry_is_refused() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    writer.start_file("bomb.map", options).unwrap();
    for _ in 0..33 {
        writer.write_all(&vec![b'.'; 1 << 20]).unwrap();
    }
    refused(writer.finish().unwrap().into_inner(), "\"bomb.map\" is larger than");
}

#[test]
fn a_missing_file_says_so() {
    let (data, server) = (TempDir::new().unwrap(), Server::start());
    let text = bad(&fetch(data.path(), server.address(), &["dao"]), 1);
    assert!(text.contains("/dao/dao-map.zip was not found (404)") && text.contains("--from"), "{text}");
}

#[test]
fn no_server_says_so() {
    let data = TempDir::new().unwrap();
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let text = bad(&fetch(data.path(), &format!("http://127.0.0.1:{port}"), &["dao"]), 1);
    assert!(text.contains("cannot fetch http://127.0.0.1"), "{text}");
}

#[test]
fn bad_usage_is_told_apart() {
    let data = TempDir::new().unwrap();
    let text = bad(&fetch(data.path(), "http://127.0.0.1:1", &["mazs"]), 2);
    assert!(text.contains("'mazes'"), "{text}");
    let text = bad(&fetch(data.path(), "ftp://127.0.0.1", &["dao"]), 2);
    assert!(text.contains("http://"), "{text}");
}

#[test]
fn a_folder_without_maps_is_not_replaced_silently() {
    let (data, server) = (TempDir::new().unwrap(), server());
    std::fs::create_dir(data.path().join("dao")).unwrap();
    std::fs::write(data.path().join("dao/diary.txt"), "mine").unwrap();
    let text = bad(&fetch(data.path(), server.address(), &["dao"]), 1);
    assert!(text.contains("--force"), "{text}");
    assert!(data.path().join("dao/diary.txt").exists());
}
