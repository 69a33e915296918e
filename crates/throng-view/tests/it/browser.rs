//! A browser for tests: a WebSocket that orders and reads.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::Value;
use throng_view::{Options, Server, Setup, Stopper};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// A server in a thread, which ends with the test.
pub(crate) struct Running {
    pub(crate) url: String,
    stopper: Stopper,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}

impl Running {
    /// Starts a server with a paused crowd.
    pub(crate) fn start(setup: Setup) -> Self {
        Self::with(Options { setup, ..Options::default() })
    }

    pub(crate) fn with(options: Options) -> Self {
        let server = Server::bind(options).unwrap();
        let (url, stopper) = (server.url(), server.stopper());
        std::thread::spawn(move || server.run());
        Self { url, stopper }
    }

    /// Returns `HOST:PORT`.
    pub(crate) fn host(&self) -> &str {
        self.url.trim_start_matches("http://").split('/').next().unwrap()
    }

    /// Connects and pauses the crowd.
    pub(crate) fn browse(&self) -> Browser {
        let mut browser = self.connect();
        browser.order(r#"{"do":"pause"}"#);
        browser
    }

    pub(crate) fn connect(&self) -> Browser {
        self.try_connect().expect("the server takes one more browser")
    }

    /// Returns `None` if the server refuses one more browser.
    pub(crate) fn try_connect(&self) -> Option<Browser> {
        let stream = TcpStream::connect(self.host()).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        let query = self.url.split_once("/?").map_or(String::new(), |(_, query)| format!("?{query}"));
        let mut request = format!("ws://{}/socket{query}", self.host()).into_client_request().unwrap();
        let origin = format!("http://{}", self.host());
        request.headers_mut().insert("Origin", origin.parse().unwrap());
        let (socket, _) = tungstenite::client(request, stream).ok()?;
        Some(Browser { socket, bytes: 0, tick: 0, status: Value::Null })
    }
}

/// A connected browser.
pub(crate) struct Browser {
    socket: WebSocket<TcpStream>,
    /// Bytes of binary messages so far.
    pub(crate) bytes: usize,
    /// The tick of the last frame that was read.
    pub(crate) tick: u32,
    /// The last status that was read, null before the first.
    status: Value,
}

impl Browser {
    pub(crate) fn order(&mut self, text: &str) {
        self.socket.send(Message::text(text)).unwrap();
    }

    pub(crate) fn upload(&mut self, bytes: &[u8]) {
        self.socket.send(Message::binary(bytes.to_vec())).unwrap();
    }

    /// Returns false if the connection has ended.
    pub(crate) fn try_order(&mut self, text: &str) -> bool {
        self.socket.send(Message::text(text)).is_ok()
    }

    /// Returns false if the connection has ended.
    pub(crate) fn try_upload(&mut self, bytes: &[u8]) -> bool {
        self.socket.send(Message::binary(bytes.to_vec())).is_ok()
    }

    /// Reads what comes within a time.
    pub(crate) fn read_for(&mut self, time: Duration) {
        let begun = Instant::now();
        self.socket.get_ref().set_read_timeout(Some(time)).unwrap();
        while begun.elapsed() < time && self.socket.read().is_ok() {}
        self.socket.get_ref().set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    }

    /// Reads until a JSON message of a kind.
    pub(crate) fn wait_for(&mut self, is: &str) -> Value {
        let start = Instant::now();
        while start.elapsed() < Duration::from_mins(1) {
            match self.socket.read().unwrap() {
                Message::Text(text) => {
                    let value: Value = serde_json::from_str(&text).unwrap();
                    if value["is"] == "status" {
                        self.status = value.clone();
                    }
                    if value["is"] == is {
                        return value;
                    }
                }
                Message::Binary(bytes) => {
                    self.bytes += bytes.len();
                    if let ([2 | 3, ..], Some(tick)) = (&*bytes, bytes.get(8..12)) {
                        self.tick = u32::from_le_bytes(tick.try_into().unwrap());
                    }
                }
                _ => {}
            }
        }
        panic!("no {is} came");
    }

    /// Reads until the last status satisfies a condition, which may be the one that came while another message was awaited: a
    /// paused crowd sends its status only when it changes.
    pub(crate) fn until(&mut self, is_so: impl Fn(&Value) -> bool) -> Value {
        while !is_so(&self.status) {
            self.wait_for("status");
        }
        self.status.clone()
    }

    /// Reads until a binary message of a kind and returns it.
    pub(crate) fn wait_for_bytes(&mut self, kind: u8) -> Vec<u8> {
        loop {
            if let Message::Binary(bytes) = self.socket.read().unwrap()
                && bytes.first() == Some(&kind)
            {
                return bytes.to_vec();
            }
        }
    }

    /// Returns the tick and the state hashes.
    pub(crate) fn hash(&mut self) -> Value {
        self.order(r#"{"do":"measure"}"#);
        let measured = self.wait_for("measured");
        serde_json::json!({ "tick": measured["tick"], "hashes": measured["hashes"] })
    }
}
