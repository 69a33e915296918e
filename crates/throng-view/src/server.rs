//! The server: binds an address, starts the session, and accepts connections.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::connection::{Context, serve};
use crate::guard::Guard;
use crate::hub::Hub;
use crate::results::{ResultFolders, SharedResults};
use crate::session::{self, Event, Links};
use crate::setup::{MapSource, Setup, SetupError};
use crate::upload::UploadBudget;

/// The largest number of connections, browsers and requests for files together.
const MAX_CONNECTIONS: usize = 256;

/// The largest number of requests that wait for the session. A connection that sends more waits too.
const MAX_WAITING: usize = 1024;

/// What to show, and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on. Beyond loopback, a token is needed to connect.
    pub address: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// The crowd at the start.
    pub setup: Setup,
    /// The map of `setup` if that is not built in, with its name; or the content of a recording.
    pub source: MapSource,
    /// The results that can be shown.
    pub results: ResultFolders,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            address: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            setup: Setup::default(),
            source: MapSource::Named,
            results: ResultFolders::default(),
        }
    }
}

/// A server that is bound to its address and not serving yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    token: Option<String>,
    bound: SocketAddr,
    sender: SyncSender<Event>,
    hub: Arc<Hub>,
    results: Arc<SharedResults>,
    stopped: Arc<AtomicBool>,
}

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The address cannot be bound.
    #[error("cannot listen on {address}: {error}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The reason.
        error: io::Error,
    },
    /// The crowd cannot be made.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// Ends a server from another thread.
#[derive(Clone, Debug)]
pub struct Stopper {
    stopped: Arc<AtomicBool>,
    hub: Arc<Hub>,
    sender: SyncSender<Event>,
    bound: SocketAddr,
}

impl Stopper {
    /// Ends the session, all connections and [`Server::run`].
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        let _ = self.sender.send(Event::Stop);
        self.hub.close();
        // The server waits for a connection.
        let _ = TcpStream::connect_timeout(&reachable(self.bound), Duration::from_secs(1));
    }
}

impl Server {
    /// Binds the address and makes the crowd.
    ///
    /// # Errors
    /// If the address cannot be bound or the crowd cannot be made.
    pub fn bind(options: Options) -> Result<Self, ServerError> {
        let address = SocketAddr::new(options.address, options.port);
        let failed = |error| ServerError::Bind { address, error };
        let listener = TcpListener::bind(address).map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let token = (!options.address.is_loopback()).then(new_token).transpose().map_err(failed)?;
        let (sender, receiver) = sync_channel(MAX_WAITING);
        let hub = Arc::new(Hub::default());
        let results = Arc::new(SharedResults::new(options.results));
        results.check().map_err(SetupError::from)?;
        let links = Links { hub: Arc::clone(&hub), results: Arc::clone(&results), events: sender.clone() };
        session::start(options.setup, &options.source, links, receiver)?;
        results.read(sender.clone());
        Ok(Self { listener, token, bound, sender, hub, results, stopped: Arc::default() })
    }

    /// Returns the address for a browser. It contains the token, if one is needed.
    pub fn url(&self) -> String {
        let address = reachable(self.bound);
        let query = self.token.as_ref().map_or_else(String::new, |token| format!("?token={token}"));
        format!("http://{address}/{query}")
    }

    /// Returns what ends the server.
    pub fn stopper(&self) -> Stopper {
        Stopper {
            stopped: Arc::clone(&self.stopped),
            hub: Arc::clone(&self.hub),
            sender: self.sender.clone(),
            bound: self.bound,
        }
    }

    /// Serves connections until [`Stopper::stop`] is called.
    pub fn run(self) {
        let guard = Arc::new(Guard::new(self.bound, self.token));
        let context = Context {
            guard,
            hub: self.hub,
            results: self.results,
            session: self.sender,
            uploads: UploadBudget::default(),
        };
        let connections = Arc::new(AtomicUsize::new(0));
        for stream in self.listener.incoming() {
            if self.stopped.load(Ordering::Relaxed) {
                return;
            }
            let Ok(stream) = stream else {
                // Too many open files, for example: it passes.
                thread::sleep(Duration::from_millis(50));
                continue;
            };
            if connections.load(Ordering::Relaxed) >= MAX_CONNECTIONS {
                continue;
            }
            connections.fetch_add(1, Ordering::Relaxed);
            let (context, count) = (context.clone(), Arc::clone(&connections));
            let spawned = thread::Builder::new().name("view-connection".into()).spawn(move || {
                // A failure concerns this connection alone.
                let _ = serve(stream, &context);
                count.fetch_sub(1, Ordering::Relaxed);
            });
            if spawned.is_err() {
                connections.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }
}

/// Returns an address at which this machine reaches a bound one.
fn reachable(mut bound: SocketAddr) -> SocketAddr {
    match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => bound.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => bound.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    bound
}

/// Returns a token of 128 random bits.
fn new_token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}
