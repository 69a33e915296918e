//! Malformed, hostile and unlucky connections: they harm nobody else.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use throng_view::{Options, Setup};

use crate::browser::Running;

fn server() -> Running {
    Running::start(Setup { map: "builtin:arena".to_owned(), agents: 20, ..Setup::default() })
}

/// Sends bytes and returns the first line of the answer.
fn say(host: &str, text: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let _ = stream.write_all(text.as_bytes());
    let mut answer = Vec::new();
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = stream.read(&mut buffer) {
        answer.extend_from_slice(&buffer[..length]);
        if answer.contains(&b'\n') {
            break;
        }
    }
    String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn files_are_served_to_this_host_only() {
    let server = server();
    let host = server.host();
    let get = |path: &str, name: &str| say(host, &format!("GET {path} HTTP/1.1\r\nHost: {name}\r\n\r\n"));
    assert_eq!(get("/", host), "HTTP/1.1 200 OK");
    assert_eq!(get("/main.js", host), "HTTP/1.1 200 OK");
    assert_eq!(get("/../Cargo.toml", host), "HTTP/1.1 404 Not Found");
    assert_eq!(get("/", "example.org"), "HTTP/1.1 403 Forbidden");
    assert_eq!(get("/socket", host), "HTTP/1.1 403 Forbidden");
    let post = format!("POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(say(host, &post), "HTTP/1.1 405 Method Not Allowed");
    assert_eq!(say(host, "nonsense\r\n\r\n"), "HTTP/1.1 400 Bad Request");
    assert_eq!(say(host, &format!("GET /{} HTTP/1.1\r\n", "a".repeat(100_000))), "HTTP/1.1 400 Bad Request");
}

#[test]
fn an_upgrade_from_another_site_is_refused() {
    let server = server();
    let host = server.host();
    let upgrade = |origin: &str| {
        let head = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: a2V5\r\n";
        say(host, &format!("GET /socket HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\n{head}\r\n"))
    };
    assert_eq!(upgrade("http://example.org"), "HTTP/1.1 403 Forbidden");
    assert_eq!(upgrade("null"), "HTTP/1.1 403 Forbidden");
    assert_eq!(upgrade(&format!("http://{host}")), "HTTP/1.1 101 Switching Protocols");
}

#[test]
fn malformed_messages_get_an_answer_and_harm_nobody() {
    let server = server();
    let (mut good, mut bad) = (server.browse(), server.connect());
    let texts = [
        "",
        "{",
        "null",
        r#"{"do":"dance"}"#,
        r#"{"do":"send","agents":[4294967295],"to":[-1,9999999]}"#,
        r#"{"do":"seek","tick":18446744073709551615}"#,
        r#"{"do":"inspect","side":99,"agent":4000000000}"#,
        r#"{"do":"layer","side":99,"layer":"paths","agent":null}"#,
        r#"{"do":"speed","ticks":0}"#,
        r#"{"do":"paint","with":"wall","from":[-2147483648,2147483647],"to":[2147483647,-2147483648],"radius":2147483647}"#,
        r#"{"do":"spawn","at":[2147483647,-2147483648],"radius":2147483647}"#,
        r#"{"do":"unit","at":[-5,-5]}"#,
        r#"{"do":"setup","setup":{"planners":["surge:work=x"]}}"#,
        r#"{"do":"setup","setup":{"map":"own"}}"#,
        r#"{"do":"path","search":"none","from":[0,0],"to":[1,1]}"#,
        r#"{"do":"save"}"#,
        r#"{"do":"step-back"}"#,
    ];
    for text in texts {
        bad.order(text);
    }
    for upload in
        [&b""[..], b"throng-r", b"throng-r\x05\xff\xff\xff\xff\xff", b"type octile\nheight 9", &[0; 1000]]
    {
        bad.upload(upload);
    }
    assert_eq!(bad.wait_for("error")["about"], "request");
    assert_eq!(good.wait_for("catalog")["is"], "catalog");
    good.order(r#"{"do":"step"}"#);
    assert!(good.hash()["hashes"][0].is_string());
}

#[test]
fn dropped_connections_harm_nobody() {
    let server = server();
    let mut good = server.browse();
    for _ in 0..20 {
        drop(server.connect());
        drop(TcpStream::connect(server.host()).unwrap());
    }
    good.order(r#"{"do":"step"}"#);
    assert!(good.hash()["hashes"][0].is_string());
}

/// One byte now and then does not hold a connection open: the head of a request has one deadline.
#[test]
fn a_head_that_never_ends_is_ended() {
    let server = server();
    let start = std::time::Instant::now();
    let mut stream = TcpStream::connect(server.host()).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let mut answer = Vec::new();
    let mut buffer = [0; 1024];
    while start.elapsed() < Duration::from_secs(30) {
        let written = stream.write_all(b"G");
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => answer.extend_from_slice(&buffer[..length]),
            // Nothing yet.
            Err(_) if written.is_ok() => {}
            Err(_) => break,
        }
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert!(
        answer.is_empty() || answer.starts_with(b"HTTP/1.1 408 "),
        "{}",
        String::from_utf8_lossy(&answer)
    );
}

#[test]
fn a_flood_is_slowed_and_the_others_go_on() {
    let server = server();
    let (mut good, mut flood) = (server.browse(), server.connect());
    for _ in 0..1_000 {
        flood.order(r#"{"do":"speed","ticks":10}"#);
    }
    let refused = flood.wait_for("error");
    assert!(refused["text"].as_str().unwrap().contains("too many"), "{refused}");
    assert!(good.hash()["hashes"][0].is_string());
}

#[test]
fn beyond_loopback_the_token_is_needed() {
    let setup = Setup { map: "builtin:arena".to_owned(), agents: 5, ..Setup::default() };
    let server = Running::with(Options { address: [0, 0, 0, 0].into(), setup, ..Options::default() });
    assert!(server.url.contains("/?token="), "{}", server.url);
    assert!(server.browse().hash()["hashes"][0].is_string());
    let host = server.host();
    let head = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: a2V5\r\n";
    let request = |query: &str| {
        format!("GET /socket{query} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{head}\r\n")
    };
    assert_eq!(say(host, &request("")), "HTTP/1.1 403 Forbidden");
    assert_eq!(say(host, &request("?token=0123456789abcdef0123456789abcdef")), "HTTP/1.1 403 Forbidden");
}
