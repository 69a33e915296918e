//! Who may talk to the server: the checks of `Host`, `Origin` and token.
//!
//! A page of another site that a browser on this machine has open can send requests to loopback addresses. Such a request
//! carries the site's `Origin`, and after a name was rebound to a loopback address also the site's name as `Host`. So every
//! request must name this server as `Host`, and every upgrade must come from a page of this server. Beyond loopback an
//! upgrade must also show the token that the server printed: whoever can reach the port could forge the rest.

use std::net::{IpAddr, SocketAddr};

/// What a request says about its sender.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Claims<'a> {
    /// The header `Host`; `None` if it is missing, sent twice or not text.
    pub(crate) host: Option<&'a str>,
    /// The header `Origin`; `None` if it is missing, sent twice or not text.
    pub(crate) origin: Option<&'a str>,
    /// The token of the address.
    pub(crate) token: Option<&'a str>,
}

/// Why a request is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Refused {
    #[error("the header Host does not name this server")]
    Host,
    #[error("the request does not come from a page of this server")]
    Origin,
    #[error("the token is missing or wrong: open the address that `throng view` printed")]
    Token,
}

/// The checks of one server.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    bound: SocketAddr,
    /// The token that upgrades must show; `None` on loopback.
    token: Option<String>,
}

impl Guard {
    pub(crate) fn new(bound: SocketAddr, token: Option<String>) -> Self {
        Self { bound, token }
    }

    /// Checks a request for a file: it must name this server.
    pub(crate) fn check_request(&self, claims: Claims<'_>) -> Result<(), Refused> {
        let host = claims.host.ok_or(Refused::Host)?;
        if self.is_own_host(host) { Ok(()) } else { Err(Refused::Host) }
    }

    /// Checks an upgrade to a WebSocket, over which the state can be changed.
    pub(crate) fn check_upgrade(&self, claims: Claims<'_>) -> Result<(), Refused> {
        self.check_request(claims)?;
        let origin = claims.origin.and_then(|origin| origin.strip_prefix("http://"));
        if !origin.is_some_and(|origin| self.is_own_host(origin) && same_text(Some(origin), claims.host)) {
            return Err(Refused::Origin);
        }
        self.check_token(claims)
    }

    /// Checks a request for a file that is not part of the program: it must also show the token.
    pub(crate) fn check_content(&self, claims: Claims<'_>) -> Result<(), Refused> {
        self.check_request(claims)?;
        self.check_token(claims)
    }

    fn check_token(&self, claims: Claims<'_>) -> Result<(), Refused> {
        match &self.token {
            Some(token) if !claims.token.is_some_and(|shown| same_bytes(shown, token)) => Err(Refused::Token),
            _ => Ok(()),
        }
    }

    /// Returns true if a host and port are those of this server. Beyond loopback it may be called by any of its addresses but
    /// by no name, because a name can be rebound.
    fn is_own_host(&self, host: &str) -> bool {
        let Some((name, port)) = split_port(host) else { return false };
        if port != self.bound.port() {
            return false;
        }
        if name.eq_ignore_ascii_case("localhost") {
            return true;
        }
        let Some(address) = parse_address(name) else { return false };
        address.is_loopback() || (self.token.is_some() && self.may_be_called(address))
    }

    fn may_be_called(&self, address: IpAddr) -> bool {
        let bound = self.bound.ip();
        !address.is_unspecified() && !address.is_multicast() && (address == bound || bound.is_unspecified())
    }
}

/// Splits `HOST:PORT`; without a port it is 80, as in an address.
fn split_port(host: &str) -> Option<(&str, u16)> {
    let end = if host.starts_with('[') { host.find(']')? + 1 } else { host.find(':').unwrap_or(host.len()) };
    let (name, rest) = host.split_at(end);
    let port = match rest.strip_prefix(':') {
        None if rest.is_empty() => 80,
        Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.parse().ok()?
        }
        _ => return None,
    };
    Some((name, port))
}

/// Parses an address as it stands in a header: version 6 in brackets.
fn parse_address(name: &str) -> Option<IpAddr> {
    match name.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?.parse().ok().map(IpAddr::V6),
        None => name.parse().ok().map(IpAddr::V4),
    }
}

fn same_text(one: Option<&str>, other: Option<&str>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one.eq_ignore_ascii_case(other))
}

/// Compares in a time that does not depend on where the texts differ.
fn same_bytes(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    /// Checks one upgrade: to loopback, or to an address beyond it, with a token.
    fn upgrade(bound: &str, host: &str, origin: &str, token: &str) -> Result<(), Refused> {
        let bound: SocketAddr = bound.parse().unwrap();
        let guard = Guard::new(bound, (!bound.ip().is_loopback()).then(|| TOKEN.to_owned()));
        let given = |text| Some(text).filter(|text: &&str| *text != "-");
        guard.check_upgrade(Claims { host: given(host), origin: given(origin), token: given(token) })
    }

    #[test]
    fn an_upgrade_comes_from_a_page_of_this_server() {
        let (here, wide, one) = ("127.0.0.1:8080", "0.0.0.0:8080", "192.0.2.7:8080");
        let (ok, host, origin, token) =
            (Ok(()), Err(Refused::Host), Err(Refused::Origin), Err(Refused::Token));
        let cases = [
            // The server's own pages.
            (here, "127.0.0.1:8080", "http://127.0.0.1:8080", "-", ok),
            (here, "localhost:8080", "http://localhost:8080", "-", ok),
            (here, "LocalHost:8080", "http://localhost:8080", "-", ok),
            (here, "[::1]:8080", "http://[::1]:8080", "-", ok),
            (here, "127.0.0.2:8080", "http://127.0.0.2:8080", "-", ok),
            // Pages of other sites, which a browser lets connect.
            (here, "127.0.0.1:8080", "http://example.org", "-", origin),
            (here, "127.0.0.1:8080", "https://example.org", "-", origin),
            (here, "127.0.0.1:8080", "null", "-", origin),
            (here, "127.0.0.1:8080", "", "-", origin),
            (here, "127.0.0.1:8080", "-", "-", origin),
            (here, "127.0.0.1:8080", "file://", "-", origin),
            (here, "127.0.0.1:8080", "http://127.0.0.1", "-", origin),
            (here, "127.0.0.1:8080", "http://127.0.0.1:8081", "-", origin),
            (here, "127.0.0.1:8080", "https://127.0.0.1:8080", "-", origin),
            (here, "127.0.0.1:8080", "http://localhost:8080", "-", origin),
            (here, "127.0.0.1:8080", "http://127.0.0.1:8080.example.org", "-", origin),
            (here, "127.0.0.1:8080", "http://127.0.0.1:8080@example.org", "-", origin),
            (here, "127.0.0.1:8080", "http://example.org/127.0.0.1:8080", "-", origin),
            (here, "127.0.0.1:8080", "http://127.0.0.1:8080/", "-", origin),
            (here, "127.0.0.1:8080", "HTTP://127.0.0.1:8080", "-", origin),
            // Names that were rebound to loopback.
            (here, "example.org:8080", "http://example.org:8080", "-", host),
            (here, "localhost.example.org:8080", "http://localhost.example.org:8080", "-", host),
            (here, "127.0.0.1.example.org:8080", "http://127.0.0.1:8080", "-", host),
            (here, "localhost:8081", "http://localhost:8081", "-", host),
            (here, "localhost", "http://localhost", "-", host),
            (here, "-", "http://127.0.0.1:8080", "-", host),
            (here, "", "http://127.0.0.1:8080", "-", host),
            (here, "127.0.0.1:8080 ", "http://127.0.0.1:8080", "-", host),
            (here, "127.0.0.1:+8080", "http://127.0.0.1:8080", "-", host),
            (here, "user@127.0.0.1:8080", "http://127.0.0.1:8080", "-", host),
            (here, "192.0.2.7:8080", "http://192.0.2.7:8080", "-", host),
            (here, "0.0.0.0:8080", "http://0.0.0.0:8080", "-", host),
            (here, "[::1:8080", "http://[::1]:8080", "-", host),
            // Beyond loopback: by address, never by name, with the token.
            (one, "192.0.2.7:8080", "http://192.0.2.7:8080", TOKEN, ok),
            (one, "192.0.2.7:8080", "http://192.0.2.7:8080", "-", token),
            (one, "192.0.2.7:8080", "http://192.0.2.7:8080", "", token),
            (one, "192.0.2.7:8080", "http://192.0.2.7:8080", "0123456789abcdeF", token),
            (one, "192.0.2.7:8080", "http://192.0.2.7:8080", "0123456789abcdef0", token),
            (one, "127.0.0.1:8080", "http://127.0.0.1:8080", "-", token),
            (one, "192.0.2.8:8080", "http://192.0.2.8:8080", TOKEN, host),
            (one, "game.example.org:8080", "http://game.example.org:8080", TOKEN, host),
            (wide, "192.0.2.8:8080", "http://192.0.2.8:8080", TOKEN, ok),
            (wide, "[2001:db8::1]:8080", "http://[2001:db8::1]:8080", TOKEN, ok),
            (wide, "0.0.0.0:8080", "http://0.0.0.0:8080", TOKEN, host),
            (wide, "192.0.2.8:8080", "http://192.0.2.9:8080", TOKEN, origin),
            (wide, "game.example.org:8080", "http://game.example.org:8080", TOKEN, host),
        ];
        for (bound, host, origin, token, expected) in cases {
            let found = upgrade(bound, host, origin, token);
            assert_eq!(
                found, expected,
                "bound to {bound}, Host {host:?}, Origin {origin:?}, token {token:?}"
            );
        }
    }

    #[test]
    fn a_file_needs_the_host_only() {
        let guard = Guard::new("127.0.0.1:8080".parse().unwrap(), None);
        let check = |host| guard.check_request(Claims { host, ..Claims::default() });
        assert_eq!(check(Some("localhost:8080")), Ok(()));
        assert_eq!(check(Some("example.org:8080")), Err(Refused::Host));
        assert_eq!(check(None), Err(Refused::Host));
    }

    #[test]
    fn the_report_needs_the_token() {
        let wide = Guard::new("192.0.2.7:8080".parse().unwrap(), Some(TOKEN.to_owned()));
        let check = |host, token| wide.check_content(Claims { host: Some(host), token, origin: None });
        assert_eq!(check("192.0.2.7:8080", Some(TOKEN)), Ok(()));
        assert_eq!(check("192.0.2.7:8080", Some("0")), Err(Refused::Token));
        assert_eq!(check("192.0.2.7:8080", None), Err(Refused::Token));
        assert_eq!(check("example.org:8080", Some(TOKEN)), Err(Refused::Host));
    }
}
