//! `leafid serve`: the server in the foreground.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use clap::builder::FalseyValueParser;
use leafid_core::Code;
use tokio::net::TcpListener;

use super::args::listen;
use super::journal::Keep;
use super::stores::{How, Named, Opened};
use super::{Failure, leaf, say};
use crate::app::Config;
use crate::app::LeafModes;
use crate::backends::opening::Options;
use crate::hex::hex;
use crate::http::listener::Listener;
use crate::http::serve::{self, Bound};
use crate::problem::Problem;
use crate::registry::Registry;
use crate::store::Store;
use crate::store::parted::Kept;

#[derive(Args, Debug)]
pub struct Serve {
    /// A file with settings: any option here, without its dashes, is a key there (`leafid config`
    /// prints all). An option counts before its variable, the variable before the file
    #[arg(long = "config", env = "LEAFID_CONFIG", value_name = "FILE")]
    _config: Option<PathBuf>,
    #[command(flatten)]
    stores: Named,
    /// The address and port to listen on (loopback only)
    #[arg(long, env = "LEAFID_LISTEN", value_name = "HOST:PORT", default_value = "127.0.0.1:8750",
          value_parser = listen)]
    listen: SocketAddr,
    /// A second address for operators (loopback only): tags and namespaces are then created, changed
    /// and deleted there, worker numbers released there, and no longer at --listen
    #[arg(long, env = "LEAFID_LISTEN_ADMIN", value_name = "HOST:PORT", value_parser = listen)]
    listen_admin: Option<SocketAddr>,
    #[command(flatten)]
    leaf: leaf::Leaf,
    /// Creates the store if it does not exist
    #[arg(long, env = "LEAFID_CREATE", value_parser = FalseyValueParser::new())]
    create: bool,
    /// Trusts this machine's clock even if it is far from the last time the store has seen
    #[arg(long, env = "LEAFID_BELIEVE_CLOCK", value_parser = FalseyValueParser::new())]
    believe_clock: bool,
    /// Serves a database even if its settings can lose answered leases when it crashes
    #[arg(long, env = "LEAFID_ALLOW_UNSAFE_SETTINGS", value_parser = FalseyValueParser::new())]
    allow_unsafe_settings: bool,
    /// A folder, best on another disk than the store, for a journal of what this server grants: with
    /// it a start notices that the store was restored or lost grants, and fences it
    #[arg(long, env = "LEAFID_JOURNAL", value_name = "DIR")]
    journal: Option<PathBuf>,
    /// For development: creates the store, tags and namespaces on first use
    #[arg(long, env = "LEAFID_DEV", value_parser = FalseyValueParser::new())]
    dev: bool,
}

impl Serve {
    /// Serves until it is told to stop.
    pub fn run(self) -> Result<(), Failure> {
        let leaf = self.leaf.read()?;
        let addresses = [Some(self.listen), self.listen_admin, leaf.listen];
        for address in addresses.into_iter().flatten() {
            only_loopback(address)?;
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime
            .map_err(|error| Problem::new(Code::Internal, format!("no runtime: {error}")))?;
        Ok(runtime.block_on(self.serve(leaf))?)
    }

    async fn serve(self, leaf: leaf::Settings) -> Result<(), Problem> {
        // Before the address is told: who reads it may stop the server at once.
        let stop = stop_signal()
            .map_err(|error| Problem::new(Code::Internal, format!("no signals: {error}")))?;
        // Before the file is touched: an address in use leaves no new store behind.
        let bound = self.bind(leaf.listen).await?;
        let create = self.create || self.dev;
        let options = Options {
            create,
            first_use: self.dev,
            believe_clock: self.believe_clock,
            ..Options::default()
        };
        let keep = Keep::new(self.journal.clone(), self.believe_clock);
        if keep.folder.is_none() && !self.dev {
            tracing::warn!(
                "no journal is kept: a restored backup, or a fail-over that lost the last grants, \
                 cannot be noticed by the next start, and numbers would be granted twice; keep one \
                 in a folder apart from the store: --journal DIR"
            );
        }
        let how = How { options, allow_unsafe: self.allow_unsafe_settings, keep };
        let Opened { stores, workers, leafs } = self.stores.open(&leaf, &how)?;
        let owner = leaf.owner(&workers).await?;
        // The address that clients wait for comes last: whoever has read it knows all of them.
        for (address, listener) in bound.iter().rev() {
            match listener.listener {
                Listener::ADMIN => {
                    tell(format_args!("leafid: changes are made at http://{address}"))
                }
                Listener::LEAF => {
                    tell(format_args!("leafid: Leaf's paths are at http://{address}"))
                }
                _ => tell(format_args!("leafid: listening on http://{address}")),
            }
        }
        let bound = bound.into_iter().map(|(_, listener)| listener).collect();
        let modes = LeafModes { any_key: leafs, ..leaf.modes };
        let config = Config { leaf: modes, owner, ..Config::default() };
        serve::serve(bound, config, stores, stop).await?;
        tell("leafid: stopped");
        Ok(())
    }

    async fn bind(&self, leaf: Option<SocketAddr>) -> Result<Vec<(SocketAddr, Bound)>, Problem> {
        let main = if self.listen_admin.is_some() { Listener::MAIN } else { Listener::ONLY };
        let mut bound = vec![bind(main, self.listen, "--listen").await?];
        if let Some(address) = self.listen_admin {
            bound.push(bind(Listener::ADMIN, address, "--listen-admin").await?);
        }
        if let Some(address) = leaf {
            bound.push(bind(Listener::LEAF, address, "--listen-leaf").await?);
        }
        Ok(bound)
    }
}

async fn bind(
    listener: Listener,
    address: SocketAddr,
    option: &str,
) -> Result<(SocketAddr, Bound), Problem> {
    let socket = TcpListener::bind(address).await;
    let bound = socket.and_then(|socket| Ok((socket.local_addr()?, Bound { listener, socket })));
    bound.map_err(|error| {
        Problem::unavailable(format!(
            "cannot listen on {address}: {error}; stop what listens there, or choose another \
             address: {option}"
        ))
    })
}

fn only_loopback(address: SocketAddr) -> Result<(), Problem> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    let detail = format!(
        "`{address}` can be reached from other machines, and this server cannot tell them apart \
         yet; listen on 127.0.0.1 or [::1]"
    );
    Err(Problem::new(Code::NotEnabled, detail))
}

/// Who does not listen any more stops no server.
pub fn tell(line: impl std::fmt::Display) {
    let _ = say(line);
}

/// Says that a store is open, and for what it is.
pub fn opened(store: &Registry, kept: Option<Kept>) {
    tell(first_line(store, kept));
    let (place, found) = (store.place(), store.found());
    match kept {
        Some(Kept::Tags) if found.last_grant.is_some() => tracing::warn!(
            place,
            "the store of --tags has granted worker numbers itself, and does not know those that the \
             store of --workers grants: IDs can be handed out twice; give the namespaces there other \
             numbers: leafid namespace set NS --workers FIRST..END"
        ),
        Some(Kept::Workers) if found.tags > 0 => tracing::warn!(
            place,
            tags = found.tags,
            "the store of --workers has tags, which are not served; a tag of the same name in the \
             store of --tags is another line: move it past them with leafid tag advance"
        ),
        _ => {}
    }
}

/// What is served: an operator sees at once whether it is the store that was meant.
fn first_line(store: &Registry, kept: Option<Kept>) -> String {
    let found = store.found();
    let opened = if found.created { "created" } else { "opened" };
    let (place, id) = (store.place(), hex(store.id()));
    let version = env!("CARGO_PKG_VERSION");
    let purpose = kept.map_or_else(String::new, |kept| format!(" for {}", kept.words()));
    format!("leafid: version {version}, {opened} {place}{purpose}, store id {id}: {found}")
}

/// Ends with the first SIGTERM or SIGINT.
#[cfg(unix)]
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Ends with Ctrl-C.
#[cfg(not(unix))]
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
