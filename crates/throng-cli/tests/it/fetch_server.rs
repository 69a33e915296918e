//! A small local HTTP server that serves files from memory, supports ranges, and can misbehave on demand.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A fault in the response to the next request for an existing file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// Closes the connection after this many bytes of the body.
    CutAfter(usize),
    /// Responds with status 503.
    Unavailable,
}

/// One logged request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Requested {
    /// The requested path.
    pub(crate) path: String,
    /// First byte of the requested range, if there was one.
    pub(crate) range: Option<usize>,
    /// Whether the response was partial content.
    pub(crate) partial: bool,
}

/// Files, planned faults and the log.
#[derive(Default)]
struct State {
    files: BTreeMap<String, Vec<u8>>,
    edition: u32,
    faults: VecDeque<Fault>,
    log: Vec<Requested>,
}

/// A server that runs until the test ends.
pub(crate) struct Server {
    address: String,
    state: Arc<Mutex<State>>,
}

impl Server {
    /// Starts a server without files.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/benchmarks", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                // A client that goes away early is part of the tests.
                let _ = answer(&stream.unwrap(), &shared);
            }
        });
        Self { address, state }
    }

    /// Returns the address for `--from`.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Stores a file, as a new version if it exists.
    pub(crate) fn put(&self, path: &str, bytes: Vec<u8>) {
        let mut state = self.state.lock().unwrap();
        state.edition += 1;
        state.files.insert(format!("/benchmarks/{path}"), bytes);
    }

    /// Adds a fault for a later request.
    pub(crate) fn plan(&self, fault: Fault) {
        self.state.lock().unwrap().faults.push_back(fault);
    }

    /// Returns and clears the log.
    pub(crate) fn log(&self) -> Vec<Requested> {
        std::mem::take(&mut self.state.lock().unwrap().log)
    }
}

/// Handles one request and closes the connection.
fn answer(stream: &TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = BTreeMap::new();
    for line in lines {
        let line = line?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let (head, body) = response(&path, &headers, &mut state.lock().unwrap());
    let mut stream = stream;
    stream.write_all(head.as_bytes())?;
    stream.write_all(&body)?;
    stream.flush()
}

/// Returns the header and the body of the response.
fn response(path: &str, headers: &BTreeMap<String, String>, state: &mut State) -> (String, Vec<u8>) {
    let range =
        headers.get("range").map(|range| range["bytes=".len()..].trim_end_matches('-').parse().unwrap());
    let tag = format!("\"edition-{}\"", state.edition);
    let same = headers.get("if-range").is_none_or(|known| *known == tag);
    let request =
        Requested { path: path.trim_start_matches("/benchmarks/").to_owned(), range, partial: false };
    state.log.push(request);
    let Some(bytes) = state.files.get(path) else {
        return (
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned(),
            vec![],
        );
    };
    let total = bytes.len();
    let start = range.filter(|_| same).unwrap_or(0);
    let mut body = bytes[start..].to_vec();
    let mut head = match range {
        Some(_) if same => {
            format!("HTTP/1.1 206 Partial\r\nContent-Range: bytes {start}-{}/{total}\r\n", total - 1)
        }
        _ => "HTTP/1.1 200 OK\r\n".to_owned(),
    };
    let _ = write!(head, "Content-Length: {}\r\nETag: {tag}\r\nConnection: close\r\n\r\n", body.len());
    state.log.last_mut().unwrap().partial = start > 0;
    match state.faults.pop_front() {
        Some(Fault::CutAfter(count)) => body.truncate(count),
        Some(Fault::Unavailable) => {
            let head = "HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            return (head.to_owned(), vec![]);
        }
        None => {}
    }
    (head, body)
}
