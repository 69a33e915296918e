//! `throng view`: serves the live page and opens it in a browser.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::Args;
use serde::Serialize;
use throng::grid::movingai::read_map;
use throng_crowd::limits::RECORDING_FILE;
use throng_view::{MapSource, Options, ResultFolders, Server, ServerError, Setup};

use crate::fetch::data_folder;
use crate::output::{bad_input, note, print_either};
use crate::source;

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng view
  throng view builtin:valley --agents 2000
  throng view my.map --planner surge --planner pibt
  throng run builtin:bridge --agents 80 --record b.throng; throng view b.throng
  throng lab run churn --scale smoke -o out/churn; throng view out/churn";

/// The arguments of `throng view`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A map file, builtin:NAME, a recording made with `throng run --record`, or folders of results made with
    /// `throng lab run`
    #[arg(value_name = "MAP|RECORDING|DIR…")]
    inputs: Vec<String>,
    /// Number of agents; 2,000 unless the map is small
    #[arg(long, value_name = "N")]
    agents: Option<usize>,
    /// Problem type: where agents start and where they go
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Seed of the problem
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Planner, with parameters as NAME:key=value; twice to compare two
    #[arg(long = "planner", value_name = "NAME")]
    planners: Vec<String>,
    /// Port to listen on; 0 for any that is free
    #[arg(long, value_name = "P", default_value_t = 0)]
    port: u16,
    /// Address to listen on; beyond this machine the page needs the printed token
    #[arg(long, value_name = "ADDRESS", default_value_t = Ipv4Addr::LOCALHOST.into())]
    bind: IpAddr,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

/// What is printed when the page can be opened.
#[derive(Debug, Serialize)]
struct Address {
    url: String,
}

/// `throng view`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let server = Server::bind(options(arguments)?).map_err(|error| match error {
        ServerError::Setup(error) => bad_input(error),
        error => error.into(),
    })?;
    let stopper = server.stopper();
    ctrlc::set_handler(move || stopper.stop()).context("cannot handle interrupts")?;
    let address = Address { url: server.url() };
    print_either(json, &address, || format!("{}\n", address.url))?;
    note("The page is open as long as this runs; stop it with Ctrl+C.");
    if !arguments.no_open {
        open_browser(&address.url);
    }
    server.run();
    Ok(())
}

fn options(arguments: &Arguments) -> Result<Options> {
    let mut setup = Setup::default();
    let mut source = MapSource::Named;
    let mut results = ResultFolders::default();
    let is_results = |input: &&String| Path::new(input).is_dir() || input.ends_with(".parquet");
    let (folders, others): (Vec<&String>, Vec<&String>) = arguments.inputs.iter().partition(is_results);
    if let [_, second, ..] = others.as_slice() {
        return Err(bad_input(format_args!("{second}: one map or recording can be shown at a time")));
    }
    if !folders.is_empty() {
        results.folders = folders.into_iter().map(PathBuf::from).collect();
        // Without maps, runs on built-in and generated maps can still be repeated.
        results.maps = data_folder().ok().into_iter().chain([PathBuf::from(".")]).collect();
    }
    if let Some(&input) = others.first() {
        if input.starts_with("builtin:") {
            setup.map.clone_from(input);
        } else {
            let bytes = source::read(input, RECORDING_FILE)?;
            let name = Path::new(input)
                .file_name()
                .map_or_else(|| input.clone(), |name| name.to_string_lossy().into_owned());
            if bytes.starts_with(b"throng-r") {
                source = MapSource::Recording(name, bytes);
            } else {
                let tiles = read_map(&bytes).map_err(|error| bad_input(format_args!("{input}:{error}")))?;
                "own".clone_into(&mut setup.map);
                source = MapSource::Own(name, Arc::new(tiles));
            }
        }
    }
    setup.agents = match arguments.agents {
        Some(agents) => agents,
        None => setup.usual_agents(&source).map_err(bad_input)?,
    };
    setup.seed = arguments.seed.unwrap_or(setup.seed);
    if let Some(kind) = &arguments.kind {
        setup.problem.clone_from(kind);
    }
    if !arguments.planners.is_empty() {
        setup.planners.clone_from(&arguments.planners);
    }
    Ok(Options { address: arguments.bind, port: arguments.port, setup, source, results })
}

/// Opens an address in the browser of the desktop, if there is one. The address is printed anyway, so failures are ignored.
fn open_browser(url: &str) {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(target_os = "windows") {
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else if std::env::var_os("DISPLAY").is_some() || std::env::var_os("WAYLAND_DISPLAY").is_some() {
        Command::new("xdg-open")
    } else {
        return;
    };
    let _ = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
