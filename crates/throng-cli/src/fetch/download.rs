//! One file over HTTP, resumable.
//!
//! The bytes go to `NAME.part`, and a note beside it says where they come from, so that a later try can ask for
//! the rest alone: `If-Range` makes the server send the whole file when it is another one by now.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use ureq::http::{Response, StatusCode, header};
use ureq::{Agent, Body};

use crate::output::progress;

/// The most bytes of an archive; the published ones stay below a tenth of it.
const MAX_ARCHIVE: u64 = 1 << 30;

/// How often a connection that was cut is taken up again before we leave it to the user.
const ATTEMPTS: u32 = 4;

/// How long a server may be silent.
const SILENCE: Duration = Duration::from_secs(30);

/// The bar shown while downloading.
const TEMPLATE: &str = "{msg} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {eta}";

/// A file to download, and what is known about the bytes of it that have come; the latter is kept in a note
/// beside the file.
#[derive(Debug)]
pub(super) struct Download {
    /// Where the file goes.
    pub(super) path: PathBuf,
    /// Where it comes from.
    pub(super) url: String,
    /// How many there are in all, when the server said so.
    total: Option<u64>,
    /// What the server calls this edition of the file: an entity tag or a date.
    edition: String,
}

impl Download {
    /// A download of which nothing has come.
    fn new(url: &str, path: &Path) -> Self {
        Self { path: path.to_owned(), url: url.to_owned(), total: None, edition: String::new() }
    }

    /// What the note of an earlier try tells, when that was about the same address.
    fn load(url: &str, path: &Path) -> Option<Self> {
        let mut download = Self::new(url, path);
        let text = fs::read_to_string(download.beside(".note")).ok()?;
        let mut lines = text.lines();
        if lines.next() != Some(url) {
            return None;
        }
        download.total = lines.next()?.parse().ok();
        lines.next()?.clone_into(&mut download.edition);
        Some(download)
    }

    /// Writes the download.
    fn save(&self) -> Result<()> {
        let path = self.beside(".note");
        let total = self.total.map_or("unknown".to_owned(), |total| total.to_string());
        fs::write(&path, format!("{}\n{total}\n{}\n", self.url, self.edition))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Removes the file and the download.
    pub(super) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(self.beside(".note"));
    }

    /// The file's path with more at the end.
    fn beside(&self, suffix: &str) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(suffix);
        name.into()
    }
}

/// How one request ended.
enum Outcome {
    /// The file is complete.
    Complete,
    /// The connection ended early, for this reason; what came is kept.
    Cut(anyhow::Error),
    /// What we have is not a beginning of what the server has.
    Stale,
}

/// Downloads `url` to `path`, unless an earlier try has done so, and goes on with what an earlier try left.
pub(super) fn download(url: &str, path: &Path) -> Result<Download> {
    let known = Download::load(url, path);
    let resume = known.is_some();
    let mut download = known.unwrap_or_else(|| Download::new(url, path));
    if resume && path.exists() {
        return Ok(download);
    }
    let part = download.beside(".part");
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(!resume)
        .write(true)
        .open(&part)
        .with_context(|| format!("cannot write {}", part.display()))?;
    let agent = agent();
    for attempt in 1.. {
        let reason = match request(&agent, &mut download, &mut file)? {
            Outcome::Complete => break,
            Outcome::Cut(reason) => reason,
            Outcome::Stale => {
                download = Download::new(url, path);
                file.set_len(0)?;
                anyhow!("the file has changed on the server")
            }
        };
        if attempt == ATTEMPTS {
            return Err(reason.context(format!("{url}: cut off; the same command goes on from here")));
        }
        std::thread::sleep(Duration::from_millis(100 << attempt));
    }
    drop(file);
    fs::rename(&part, path).with_context(|| format!("cannot create {}", path.display()))?;
    Ok(download)
}

/// The HTTP client.
fn agent() -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(SILENCE))
        .timeout_recv_response(Some(SILENCE))
        .timeout_per_read(Some(SILENCE))
        .user_agent(concat!("throng/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// One request for what is missing, appended to `file`.
fn request(agent: &Agent, download: &mut Download, file: &mut File) -> Result<Outcome> {
    let url = download.url.clone();
    let have = file.seek(SeekFrom::End(0))?;
    let mut call = agent.get(&url);
    if have > 0 {
        call = call.header(header::RANGE, format!("bytes={have}-"));
        if !download.edition.is_empty() {
            call = call.header(header::IF_RANGE, &download.edition);
        }
    }
    let response = call.call().map_err(|error| explain(&url, error))?;
    let start = match response.status() {
        StatusCode::OK => {
            file.set_len(0)?;
            download.total = response.body().content_length();
            download.edition = edition(&response);
            download.save()?;
            0
        }
        StatusCode::PARTIAL_CONTENT if have > 0 => {
            let (start, total) = content_range(&response);
            if start != Some(have) || total.is_some() && download.total.is_some() && total != download.total {
                return Ok(Outcome::Stale);
            }
            have
        }
        StatusCode::RANGE_NOT_SATISFIABLE if have > 0 => {
            let whole = content_range(&response).1 == Some(have);
            return Ok(if whole { Outcome::Complete } else { Outcome::Stale });
        }
        StatusCode::NOT_FOUND => {
            bail!("{url} was not found (404); the set may have moved: --from names another address")
        }
        status => bail!("{url}: the server answers {status}"),
    };
    ensure!(
        download.total.is_none_or(|total| total <= MAX_ARCHIVE),
        "{url} is too large: over {MAX_ARCHIVE} bytes"
    );
    receive(response, download, file, start)
}

/// Appends the body to `file`, which holds `start` bytes.
fn receive(response: Response<Body>, download: &Download, file: &mut File, start: u64) -> Result<Outcome> {
    let name = download.url.rsplit('/').next().unwrap_or(&download.url).to_owned();
    let bar = progress(download.total, TEMPLATE, name);
    bar.set_position(start);
    file.seek(SeekFrom::Start(start))?;
    let mut body = response.into_body().into_reader();
    let mut buffer = vec![0; 1 << 16];
    let mut have = start;
    let cut = loop {
        match body.read(&mut buffer) {
            Ok(0) => break None,
            Ok(count) => {
                file.write_all(&buffer[..count]).context("cannot write the download")?;
                have += count as u64;
                bar.set_position(have);
                ensure!(have <= MAX_ARCHIVE, "{} is too large: over {MAX_ARCHIVE} bytes", download.url);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Some(anyhow!(error)),
        }
    };
    bar.finish_and_clear();
    let total = download.total.map_or("an unknown number of".to_owned(), |total| total.to_string());
    Ok(match (cut, download.total) {
        (None, Some(total)) if have > total => Outcome::Stale,
        (None, Some(expected)) if have < expected => Outcome::Cut(anyhow!("{have} of {total} bytes came")),
        (None, _) => Outcome::Complete,
        (Some(reason), _) => Outcome::Cut(reason.context(format!("{have} of {total} bytes came"))),
    })
}

/// What the server calls this edition of the file. A weak entity tag promises no equal bytes, so it is not used.
fn edition(response: &Response<Body>) -> String {
    let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    let tag = text(header::ETAG).filter(|tag| !tag.starts_with("W/"));
    tag.or_else(|| text(header::LAST_MODIFIED)).unwrap_or_default().to_owned()
}

/// The first byte and the total of a `Content-Range` such as `bytes 10-99/100` or `bytes */100`.
fn content_range(response: &Response<Body>) -> (Option<u64>, Option<u64>) {
    let value = response.headers().get(header::CONTENT_RANGE).and_then(|value| value.to_str().ok());
    let Some((range, total)) = value.and_then(|value| value.strip_prefix("bytes ")?.split_once('/')) else {
        return (None, None);
    };
    (range.split_once('-').and_then(|(start, _)| start.parse().ok()), total.parse().ok())
}

/// A failure to connect, in words that say what to do.
fn explain(url: &str, error: ureq::Error) -> anyhow::Error {
    let hint = match &error {
        ureq::Error::HostNotFound => "the host is not known; is there a network?",
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            "the host refuses to connect"
        }
        ureq::Error::ConnectionFailed | ureq::Error::Io(_) => "no connection; is there a network?",
        ureq::Error::Timeout(_) => "the server does not answer",
        _ => "the request failed",
    };
    anyhow!(error).context(format!("cannot fetch {url}: {hint}"))
}
