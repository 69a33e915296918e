//! One connection: a request for a file, or a WebSocket with a thread that reads and one that writes.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use tungstenite::protocol::{Role, WebSocket, WebSocketConfig};
use tungstenite::{Bytes, Message, Utf8Bytes};

use crate::guard::Guard;
use crate::http::{self, Content, Request, RequestError};
use crate::hub::{Client, Hub, Next, Packet};
use crate::message;
use crate::rate::{MAX_ORDER, MAX_UPLOAD, RateLimit, Verdict};
use crate::results::SharedResults;
use crate::session::Event;
use crate::upload::UploadBudget;

/// The path of the WebSocket.
const SOCKET: &str = "/socket";

/// The path of the report of the results.
const REPORT: &str = "/results.html";

/// How long a connection may take to send the head of its request, all of it.
const REQUEST_TIME: Duration = Duration::from_secs(5);

/// How long a browser may take nothing from its connection before it is closed.
const STALL_TIME: Duration = Duration::from_mins(2);

/// The largest number of browsers.
pub(crate) const MAX_CLIENTS: usize = 128;

/// What connections need of the server.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) guard: Arc<Guard>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) results: Arc<SharedResults>,
    pub(crate) session: SyncSender<Event>,
    pub(crate) uploads: UploadBudget,
}

/// Serves a connection until it ends. An error concerns this connection alone.
pub(crate) fn serve(mut stream: TcpStream, context: &Context) -> io::Result<()> {
    stream.set_write_timeout(Some(STALL_TIME))?;
    stream.set_nodelay(true)?;
    let mut input = Deadline { stream: &stream, end: Instant::now() + REQUEST_TIME };
    let (request, rest) = match Request::read(&mut input) {
        Ok(read) => read,
        Err(RequestError::Io(error)) if is_timeout(&error) => {
            return http::refuse(&mut stream, "408 Request Timeout", "the head of the request took too long");
        }
        Err(RequestError::Io(error)) => return Err(error),
        Err(error) => return http::refuse(&mut stream, "400 Bad Request", &error.to_string()),
    };
    if request.path == SOCKET {
        return open_socket(stream, &request, rest, context);
    }
    if let Err(refused) = context.guard.check_request(request.claims()) {
        return http::refuse(&mut stream, "403 Forbidden", &refused.to_string());
    }
    if !matches!(request.method.as_str(), "GET" | "HEAD") {
        return http::refuse(&mut stream, "405 Method Not Allowed", "only GET and HEAD");
    }
    let with_body = request.method == "GET";
    if request.path == REPORT {
        return match (context.guard.check_content(request.claims()), context.results.loaded()) {
            (Err(refused), _) => http::refuse(&mut stream, "403 Forbidden", &refused.to_string()),
            (_, None) => http::refuse(&mut stream, "404 Not Found", "there are no results"),
            (_, Some(loaded)) => {
                let kind = (Content::Report, "text/html; charset=utf-8");
                http::respond(&mut stream, "200 OK", kind, loaded.page.as_bytes(), with_body)
            }
        };
    }
    match crate::assets::find(&request.path) {
        Some(asset) => {
            let kind = (Content::Page, asset.kind);
            http::respond(&mut stream, "200 OK", kind, asset.bytes, with_body)
        }
        None => http::refuse(&mut stream, "404 Not Found", "there is no such file"),
    }
}

/// Reads until a point in time, however many reads that takes.
struct Deadline<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl Read for Deadline<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer)
    }
}

/// Returns true if a read has reached its time limit; the kind differs between systems.
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

/// Opens the WebSocket. `rest` is what has been read of it already.
fn open_socket(mut stream: TcpStream, request: &Request, rest: Vec<u8>, context: &Context) -> io::Result<()> {
    if let Err(refused) = context.guard.check_upgrade(request.claims()) {
        return http::refuse(&mut stream, "403 Forbidden", &refused.to_string());
    }
    let Some(key) = request.upgrade_key.as_deref().filter(|_| request.method == "GET") else {
        return http::refuse(&mut stream, "426 Upgrade Required", "this address is a WebSocket, version 13");
    };
    let Some(client) = context.hub.join(MAX_CLIENTS) else {
        return http::refuse(&mut stream, "503 Service Unavailable", "too many browsers are connected");
    };
    let result = http::upgrade(&mut stream, key).and_then(|()| {
        stream.set_read_timeout(None)?;
        let (output, queue, session) = (stream.try_clone()?, Arc::clone(&client), context.session.clone());
        let writer = std::thread::Builder::new().name("view-writer".into());
        let writer = writer.spawn(move || write(&output, &queue, &session))?;
        read(&stream, rest, &client, context);
        client.close();
        let _ = stream.shutdown(Shutdown::Both);
        let _ = writer.join();
        Ok(())
    });
    context.hub.leave(client.id);
    result
}

/// The reading half of a stream. The writing half belongs to another thread, so answers to pings and to a close are dropped;
/// browsers send no pings, and after a close the connection ends.
struct ReadHalf<'a>(&'a TcpStream);

impl Read for ReadHalf<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&mut &*self.0).read(buffer)
    }
}

impl Write for ReadHalf<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads orders and passes them to the session until the connection ends.
fn read(stream: &TcpStream, rest: Vec<u8>, client: &Client, context: &Context) {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_UPLOAD))
        .max_frame_size(Some(MAX_UPLOAD))
        .accept_unmasked_frames(false);
    let mut socket = WebSocket::from_partially_read(ReadHalf(stream), rest, Role::Server, Some(config));
    let mut limit = RateLimit::new(Instant::now());
    while let Ok(received) = socket.read() {
        let is_upload = received.is_binary();
        let event = match limit.judge(Instant::now(), is_upload) {
            Verdict::Close => return,
            Verdict::Drop { reply: true } => Err("too many requests, some were dropped".to_owned()),
            Verdict::Drop { reply: false } => continue,
            Verdict::Accept => match received {
                Message::Text(text) if text.len() > MAX_ORDER => Err("the request is too large".to_owned()),
                Message::Text(text) => message::parse(&text).map(|order| Event::Order(client.id, order)),
                Message::Binary(bytes) => context
                    .uploads
                    .take(&bytes)
                    .map(|upload| Event::Upload(client.id, upload))
                    .ok_or_else(|| "other files are being read: try again".to_owned()),
                Message::Close(_) => return,
                _ => continue,
            },
        };
        match event {
            Ok(event) => {
                if context.session.send(event).is_err() {
                    return;
                }
            }
            Err(reason) => client.reply(message::error("request", &reason)),
        }
    }
}

/// Writes what is queued until the connection ends.
fn write(stream: &TcpStream, client: &Client, session: &SyncSender<Event>) {
    let config = WebSocketConfig::default().write_buffer_size(0);
    let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
    loop {
        let message = match client.next() {
            Next::Send(Packet::Text(text)) => Message::Text(Utf8Bytes::from(&*text)),
            Next::Send(Packet::Binary(bytes)) => Message::Binary(Bytes::from_owner(bytes)),
            Next::AskForState if session.send(Event::Behind(client.id)).is_ok() => continue,
            Next::AskForState | Next::Close => break,
        };
        if socket.send(message).is_err() {
            break;
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}
