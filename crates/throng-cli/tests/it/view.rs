//! `throng view`: the address that it prints, and what it refuses. The tests of `throng-view` talk to the server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use crate::support::{Folder, refusal};

#[test]
fn it_prints_an_address_on_loopback_that_serves_the_page() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_throng"))
        .args(["view", "builtin:arena", "--agents", "5", "--no-open"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let host =
        line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/')).unwrap().to_owned();
    assert!(host.starts_with("127.0.0.1:"), "{line}");
    let mut stream = TcpStream::connect(&host).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.contains("<title>throng</title>"), "{page}");
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let folder = Folder::new();
    let bad = folder.path("bad.map");
    std::fs::write(&bad, "type octile\nheight 1\nwidth 1\nmap\n?\n").unwrap();
    let cut = folder.path("cut.throng");
    std::fs::write(&cut, b"throng-r").unwrap();
    assert!(refusal(&["view", "builtin:aren"]).contains("did you mean `arena`"));
    assert!(refusal(&["view", &bad]).contains("bad.map:5:1"));
    assert!(refusal(&["view", &cut]).contains("cut short or altered"));
    assert!(refusal(&["view", "no-such.map"]).contains("cannot read"));
    assert!(refusal(&["view", "builtin:arena", "--agents", "100000"]).contains("at most 20000"));
    assert!(refusal(&["view", "builtin:arena", "--planner", "sruge"]).contains("did you mean `surge`"));
}
