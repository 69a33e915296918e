//! Downloads one file over HTTP, resumably.
//!
//! The bytes are stored in `NAME.part`, and `NAME.note` beside it names their origin, so that a later attempt can
//! request the rest only. `If-Range` makes the server send the whole file if it has changed.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use throng_grid::limits::Limit;
use throng_lab::files::{self, Files, StoredFile, with_suffix};
use throng_lab::limits::ARCHIVE_FILE;
use ureq::http::{Response, StatusCode, header};
use ureq::{Agent, Body};

use crate::output::progress;

/// A note about a download: an address, a number and a version.
const NOTE_FILE: Limit = Limit {
    name: "note-file",
    max: 1 << 16,
    unit: "bytes",
    what: "a note about a download",
    reason: "three lines",
};

/// Number of requests after which an interrupted download fails.
const ATTEMPTS: u32 = 4;

/// Number of redirects that are followed.
const MAX_REDIRECTS: u32 = 10;

/// Time that a server may take to connect, to answer and between two reads.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Progress bar while downloading.
const TEMPLATE: &str = "{msg} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {eta}";

/// A file to download and the server's description of it, which is stored in the note beside the file.
#[derive(Debug)]
pub(super) struct Download {
    /// Path of the downloaded file.
    pub(super) path: PathBuf,
    /// Address of the file.
    pub(super) url: String,
    /// Total size in bytes, if the server stated it.
    total: Option<u64>,
    /// The server's version of the file, an entity tag or a date; empty if unknown.
    version: String,
}

impl Download {
    /// Creates a download that has not begun.
    fn new(url: &str, path: &Path) -> Self {
        Self { path: path.to_owned(), url: url.to_owned(), total: None, version: String::new() }
    }

    /// Reads the note of an earlier attempt. Returns `None` if that was for another address.
    fn load(url: &str, path: &Path) -> Option<Self> {
        let mut download = Self::new(url, path);
        let text = files::read_text(&download.beside(".note"), NOTE_FILE).ok()?;
        let mut lines = text.lines();
        if lines.next() != Some(url) {
            return None;
        }
        download.total = lines.next()?.parse().ok();
        lines.next()?.clone_into(&mut download.version);
        Some(download)
    }

    /// Writes the note.
    fn save(&self, files: &Files) -> Result<()> {
        let total = self.total.map_or("unknown".to_owned(), |total| total.to_string());
        let note = format!("{}\n{total}\n{}\n", self.url, self.version);
        Ok(files.replace(&self.beside(".note"), note.as_bytes())?)
    }

    /// Removes the file and the note.
    pub(super) fn remove(&self, files: &Files) {
        let _ = files.remove(&self.path);
        let _ = files.remove(&self.beside(".note"));
    }

    /// Returns the file's path with a suffix.
    fn beside(&self, suffix: &str) -> PathBuf {
        with_suffix(&self.path, suffix)
    }
}

/// The end of one request.
enum Received {
    /// The file is complete.
    Complete,
    /// The connection ended early for this reason. The received bytes are kept.
    Interrupted(anyhow::Error),
    /// The bytes received so far are not the beginning of the server's file.
    Stale,
}

/// Downloads `url` to `path` unless it exists, and continues the download of an earlier attempt. Fails at the deadline.
pub(super) fn download(files: &Files, url: &str, path: &Path, deadline: Instant) -> Result<Download> {
    let known = Download::load(url, path);
    let resume = known.is_some();
    let mut download = known.unwrap_or_else(|| Download::new(url, path));
    if resume && path.exists() {
        return Ok(download);
    }
    let part = download.beside(".part");
    let mut file = files.append(&part)?;
    if !resume {
        file.cut(0)?;
    }
    for attempt in 1.. {
        let left = deadline.saturating_duration_since(Instant::now());
        ensure!(!left.is_zero(), "{url}: the time limit is over; run the same command again to resume");
        let reason = match request(files, &agent(left), &mut download, &mut file)? {
            Received::Complete => break,
            Received::Interrupted(reason) => reason,
            Received::Stale => {
                download = Download::new(url, path);
                file.cut(0)?;
                anyhow!("the file changed on the server")
            }
        };
        if attempt == ATTEMPTS {
            return Err(reason.context(format!("{url}: interrupted; run the same command again to resume")));
        }
        std::thread::sleep(Duration::from_millis(100 << attempt));
    }
    file.sync()?;
    drop(file);
    files.rename(&part, path)?;
    Ok(download)
}

/// Creates the HTTP client for a request that may take as long as `left`.
fn agent(left: Duration) -> Agent {
    Agent::config_builder()
        .timeout_global(Some(left))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .timeout_connect(Some(TIMEOUT))
        .timeout_recv_response(Some(TIMEOUT))
        .timeout_per_read(Some(TIMEOUT))
        .user_agent(concat!("throng/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// Requests the missing bytes and appends them to `file`.
fn request(files: &Files, agent: &Agent, download: &mut Download, file: &mut StoredFile) -> Result<Received> {
    let url = download.url.clone();
    let have = file.end()?;
    let response = call(agent, download, have)?;
    let start = match response.status() {
        StatusCode::OK => {
            file.cut(0)?;
            download.total = response.body().content_length();
            download.version = version(&response);
            download.save(files)?;
            0
        }
        StatusCode::PARTIAL_CONTENT if have > 0 => {
            let (start, total) = content_range(&response);
            if start != Some(have) || total.is_some() && download.total.is_some() && total != download.total {
                return Ok(Received::Stale);
            }
            have
        }
        StatusCode::RANGE_NOT_SATISFIABLE if have > 0 => {
            let whole = content_range(&response).1 == Some(have);
            return Ok(if whole { Received::Complete } else { Received::Stale });
        }
        StatusCode::NOT_FOUND => {
            bail!("{url} was not found (404); if the set has moved, give its address with --from")
        }
        status => bail!("{url}: the server responded with {status}"),
    };
    ARCHIVE_FILE.check(download.total.unwrap_or_default()).with_context(|| url.clone())?;
    receive(response, download, file, start)
}

/// Requests the bytes from `have` on, and follows redirects to other addresses on the web.
fn call(agent: &Agent, download: &Download, have: u64) -> Result<Response<Body>> {
    let mut url = download.url.clone();
    for _ in 0..MAX_REDIRECTS {
        let mut call = agent.get(&url);
        if have > 0 {
            call = call.header(header::RANGE, format!("bytes={have}-"));
            if !download.version.is_empty() {
                call = call.header(header::IF_RANGE, &download.version);
            }
        }
        let response = call.call().map_err(|error| explain(&url, error))?;
        if !response.status().is_redirection() {
            return Ok(response);
        }
        let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
        url = redirected(&url, location.unwrap_or_default())?;
    }
    bail!("{}: the server redirects more than {MAX_REDIRECTS} times", download.url)
}

/// Returns the address that a server redirects to, which may be the path of another one on the same server.
fn redirected(url: &str, location: &str) -> Result<String> {
    if location.starts_with("http://") || location.starts_with("https://") {
        return Ok(location.to_owned());
    }
    let host = url.find("://").and_then(|scheme| Some(scheme + 3 + url[scheme + 3..].find('/')?));
    if let Some(host) = host.filter(|_| location.starts_with('/') && !location.starts_with("//")) {
        return Ok(url[..host].to_owned() + location);
    }
    bail!(
        "{url}: the server redirects to {location}, which is no address that starts with http:// or https://"
    )
}

/// Appends the body to `file`, which contains `start` bytes.
fn receive(
    response: Response<Body>,
    download: &Download,
    file: &mut StoredFile,
    start: u64,
) -> Result<Received> {
    let name = download.url.rsplit('/').next().unwrap_or(&download.url).to_owned();
    let bar = progress(download.total, TEMPLATE, name);
    bar.set_position(start);
    let mut body = response.into_body().into_reader();
    let mut buffer = vec![0; 1 << 16];
    let mut have = start;
    let error = loop {
        match body.read(&mut buffer) {
            Ok(0) => break None,
            Ok(count) => {
                file.write(&buffer[..count])?;
                have += count as u64;
                bar.set_position(have);
                ARCHIVE_FILE.check(have).with_context(|| download.url.clone())?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Some(anyhow!(error)),
        }
    };
    bar.finish_and_clear();
    let total = download.total.map_or("an unknown number of".to_owned(), |total| total.to_string());
    Ok(match (error, download.total) {
        (None, Some(total)) if have > total => Received::Stale,
        (None, Some(expected)) if have < expected => {
            Received::Interrupted(anyhow!("received {have} of {total} bytes"))
        }
        (None, _) => Received::Complete,
        (Some(reason), _) => {
            Received::Interrupted(reason.context(format!("received {have} of {total} bytes")))
        }
    })
}

/// Returns the server's version of the file. A weak entity tag does not guarantee equal bytes, so it is not used.
fn version(response: &Response<Body>) -> String {
    let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    let tag = text(header::ETAG).filter(|tag| !tag.starts_with("W/"));
    tag.or_else(|| text(header::LAST_MODIFIED)).unwrap_or_default().to_owned()
}

/// Returns the first byte and the total of a `Content-Range` such as `bytes 10-99/100` or `bytes */100`.
fn content_range(response: &Response<Body>) -> (Option<u64>, Option<u64>) {
    let value = response.headers().get(header::CONTENT_RANGE).and_then(|value| value.to_str().ok());
    let Some((range, total)) = value.and_then(|value| value.strip_prefix("bytes ")?.split_once('/')) else {
        return (None, None);
    };
    (range.split_once('-').and_then(|(start, _)| start.parse().ok()), total.parse().ok())
}

/// Describes a failed connection and suggests a cause.
fn explain(url: &str, error: ureq::Error) -> anyhow::Error {
    let hint = match &error {
        ureq::Error::HostNotFound => "unknown host; check the network connection",
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            "the host refused the connection"
        }
        ureq::Error::ConnectionFailed | ureq::Error::Io(_) => "no connection; check the network connection",
        ureq::Error::Timeout(ureq::Timeout::Global) => {
            "the time limit is over; run the same command again to resume, or raise --time-limit"
        }
        ureq::Error::Timeout(_) => "the server does not respond",
        _ => "the request failed",
    };
    anyhow!(error).context(format!("cannot fetch {url}: {hint}"))
}
