//! The little HTTP that the page needs: one request per connection, answered with an embedded file, an error, or the upgrade
//! to a WebSocket.

use std::io::{self, Read, Write};

use crate::guard::Claims;

/// The largest head of a request, in bytes.
pub(crate) const MAX_HEAD: usize = 16 << 10;

/// The largest number of headers.
const MAX_HEADERS: usize = 64;

/// The end of a head.
const END: &[u8] = b"\r\n\r\n";

/// A request without a body.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The address without its query.
    pub(crate) path: String,
    query: String,
    host: Option<String>,
    origin: Option<String>,
    /// The key of an upgrade to a WebSocket, `None` if the request asks for none.
    pub(crate) upgrade_key: Option<String>,
}

/// Why no request was read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RequestError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("the request is malformed")]
    Malformed,
    #[error("the head of the request is too large")]
    TooLarge,
}

impl Request {
    /// Reads the head of a request. Returns also what was read beyond it: what follows an upgrade belongs to the WebSocket.
    pub(crate) fn read(stream: &mut impl Read) -> Result<(Self, Vec<u8>), RequestError> {
        let (mut head, mut part) = (Vec::with_capacity(2048), [0; 2048]);
        loop {
            let length = stream.read(&mut part)?;
            if length == 0 {
                return Err(RequestError::Malformed);
            }
            // The end may begin in the part before.
            let from = head.len().saturating_sub(END.len() - 1);
            head.extend_from_slice(&part[..length]);
            if let Some(at) = head[from..].windows(END.len()).position(|bytes| bytes == END) {
                let end = from + at + END.len();
                if end > MAX_HEAD {
                    return Err(RequestError::TooLarge);
                }
                let rest = head.split_off(end);
                return Ok((Self::parse(&head).ok_or(RequestError::Malformed)?, rest));
            }
            if head.len() >= MAX_HEAD {
                return Err(RequestError::TooLarge);
            }
        }
    }

    fn parse(head: &[u8]) -> Option<Self> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        parsed.parse(head).ok()?.is_complete().then_some(())?;
        let (path, query) = parsed.path?.split_once('?').unwrap_or((parsed.path?, ""));
        let only = |name: &str| {
            let mut values = parsed.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
            let first = values.next().filter(|_| values.next().is_none())?;
            std::str::from_utf8(first.value).ok().map(str::to_owned)
        };
        let has = |name: &str, word: &str| {
            only(name)
                .is_some_and(|value| value.split(',').any(|part| part.trim().eq_ignore_ascii_case(word)))
        };
        let upgrades = has("upgrade", "websocket") && has("connection", "upgrade");
        let key =
            only("sec-websocket-key").filter(|_| only("sec-websocket-version").as_deref() == Some("13"));
        Some(Self {
            method: parsed.method?.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            host: only("host"),
            origin: only("origin"),
            upgrade_key: key.filter(|_| upgrades),
        })
    }

    /// Returns what the request says about its sender.
    pub(crate) fn claims(&self) -> Claims<'_> {
        let token = self.query.split('&').find_map(|pair| pair.strip_prefix("token="));
        Claims { host: self.host.as_deref(), origin: self.origin.as_deref(), token }
    }
}

/// What a response may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// A file of the page: it loads nothing from elsewhere, and no page may frame it.
    Page,
    /// The report of an experiment: the page frames it. It has style and pictures of its own, and no script may run in it.
    Report,
}

impl Content {
    const fn policy(self) -> &'static str {
        match self {
            Self::Page => {
                "default-src 'self'; img-src 'self' blob: data:; style-src 'self'; connect-src 'self'; \
                 frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
            }
            Self::Report => {
                "default-src 'none'; img-src data:; style-src 'unsafe-inline'; \
                 frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
            }
        }
    }
}

/// Headers of every response: nothing is cached, and nothing is used by other sites.
const HEADERS: &str = "Cache-Control: no-store\r\n\
    X-Content-Type-Options: nosniff\r\n\
    Referrer-Policy: no-referrer\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n";

/// Sends a file or an error and ends the connection.
pub(crate) fn respond(
    stream: &mut impl Write,
    status: &str,
    (content, kind): (Content, &str),
    body: &[u8],
    with_body: bool,
) -> io::Result<()> {
    let (length, policy) = (body.len(), content.policy());
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Content-Security-Policy: {policy}\r\n{HEADERS}Connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    if with_body {
        stream.write_all(body)?;
    }
    stream.flush()
}

/// Sends an error as plain text.
pub(crate) fn refuse(stream: &mut impl Write, status: &str, reason: &str) -> io::Result<()> {
    let kind = (Content::Page, "text/plain; charset=utf-8");
    respond(stream, status, kind, format!("{reason}\n").as_bytes(), true)
}

/// Accepts the upgrade to a WebSocket.
pub(crate) fn upgrade(stream: &mut impl Write, key: &str) -> io::Result<()> {
    let accept = tungstenite::handshake::derive_accept_key(key.as_bytes());
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Request, RequestError> {
        Request::read(&mut text.replace('\n', "\r\n").as_bytes()).map(|(request, _)| request)
    }

    #[test]
    fn a_request_is_read_up_to_its_head() {
        let text = b"GET /socket?token=ab HTTP/1.1\r\nHost: localhost:1\r\nOrigin: http://localhost:1\r\n\
            Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n\
            Sec-WebSocket-Key: a2V5\r\n\r\nframe";
        let (request, rest) = Request::read(&mut &text[..]).unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/socket"));
        assert_eq!(request.claims().token, Some("ab"));
        assert_eq!(request.claims().host, Some("localhost:1"));
        assert_eq!(request.upgrade_key.as_deref(), Some("a2V5"));
        assert_eq!(rest, b"frame");
        // The same in parts: the end of the head is found wherever they are divided.
        for part in 1..9 {
            struct Parts<'a>(std::slice::Chunks<'a, u8>);
            impl Read for Parts<'_> {
                fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                    let bytes = self.0.next().unwrap_or_default();
                    buffer[..bytes.len()].copy_from_slice(bytes);
                    Ok(bytes.len())
                }
            }
            let (in_parts, rest) = Request::read(&mut Parts(text.chunks(part))).unwrap();
            assert_eq!(in_parts, request);
            assert!(b"frame".starts_with(&rest));
        }
    }

    #[test]
    fn repeated_headers_count_as_missing() {
        let request =
            read("GET / HTTP/1.1\nHost: localhost:1\nHost: example.org\nOrigin: a\nOrigin: a\n\n").unwrap();
        assert_eq!((request.claims().host, request.claims().origin), (None, None));
    }

    #[test]
    fn malformed_and_endless_requests_are_refused() {
        for text in
            ["\n\n", "GET\n\n", "GET / HTTP/9\n\n", "GET / HTTP/1.1\nno colon\n\n", "GET / HTTP/1.1\n"]
        {
            assert!(matches!(read(text), Err(RequestError::Malformed)), "{text:?}");
        }
        let mut endless = io::repeat(b'a');
        assert!(matches!(Request::read(&mut endless), Err(RequestError::TooLarge)));
    }
}
