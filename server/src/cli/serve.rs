//! `leafid serve`: the server in the foreground.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::builder::BoolishValueParser;
use leafid_core::{Code, Token};
use leafid_leaf::Modes;
use leafid_leaf::config::LeafConfig;
use leafid_store::backends::opening::Options;
use leafid_store::opening::Place;
use leafid_store::problem::Problem;
use tokio::task::JoinHandle;

use super::args::token;
use super::client::is_server;
use super::journal;
use super::listen::{self, Listen};
use super::named::{DEFAULT_FILE, variable};
use super::store::{self, tell};
use super::{Failure, apply, leaf, no_runtime, notify};
use crate::app::Config;
use crate::host;
use crate::http::serve;

#[derive(Args, Debug)]
pub struct Serve {
    /// A file with settings: any option here, without its dashes, is a key there (`leafid config`
    /// prints all). An option counts before its variable, the variable before the file
    #[arg(long = "config", env = "LEAFID_CONFIG", value_name = "FILE")]
    _config: Option<PathBuf>,
    /// The store: `sqlite:PATH`, a plain path, `postgres://USER:PASSWORD@HOST:PORT/DATABASE`,
    /// `mysql://USER:PASSWORD@HOST:PORT/DATABASE`, `etcd://HOST:PORT,HOST:PORT/PREFIX` or
    /// `zk://HOST:PORT,HOST:PORT/PATH`
    /// [default: sqlite:./leafid.db]
    #[arg(long, env = "LEAFID_STORE", value_name = "STORE", hide_env_values = true)]
    store: Option<String>,
    /// Refuses to serve any store but the one with this id
    #[arg(long, env = "LEAFID_EXPECT_STORE", value_name = "ID", value_parser = token,
          conflicts_with = "create")]
    expect_store: Option<Token>,
    #[command(flatten)]
    listen: Listen,
    #[command(flatten)]
    leaf: leaf::Leaf,
    /// Creates the store if it does not exist, and the journal knows of none that was at its place
    #[arg(long, env = "LEAFID_CREATE", value_parser = BoolishValueParser::new())]
    create: bool,
    /// Trusts this machine's clock even if it is far from the last time the store has seen
    #[arg(long, env = "LEAFID_BELIEVE_CLOCK", value_parser = BoolishValueParser::new())]
    believe_clock: bool,
    /// Serves a database even if its settings can lose answered leases when it crashes
    #[arg(long, env = "LEAFID_ALLOW_UNSAFE_SETTINGS", value_parser = BoolishValueParser::new())]
    allow_unsafe_settings: bool,
    #[command(flatten)]
    journal: journal::Folder,
    /// Tags and namespaces as for `leafid apply`: what the file names and the store lacks is created at
    /// the start, and what differs is changed. Nothing is deleted, and what cannot be is only logged
    #[arg(long, env = "LEAFID_APPLY", value_name = "FILE")]
    apply: Option<PathBuf>,
    /// For development: creates the store, tags and namespaces on first use
    #[arg(long, env = "LEAFID_DEV", value_parser = BoolishValueParser::new())]
    dev: bool,
}

impl Serve {
    pub fn run(mut self) -> Result<(), Failure> {
        let leafs = self.leaf.read()?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(no_runtime)?;
        Ok(runtime.block_on(self.serve(leafs))?)
    }

    async fn serve(self, leafs: LeafConfig) -> Result<(), Problem> {
        // Before the address is printed: its reader may stop the server at once.
        let no_signals = |error| Problem::new(Code::Internal, format!("no signals: {error}"));
        let stop = host::stop().map_err(no_signals)?;
        let hangups = host::hangups().map_err(no_signals)?;
        let apply = self.apply.map(|file| apply::file::read(&file.to_string_lossy()));
        let apply = apply.transpose()?;
        // Before the store is created: an address in use leaves no new file behind.
        let (bound, reload) = self.listen.bind(&self.leaf).await?;
        let create = self.create || self.dev;
        let options = Options {
            create,
            first_use: self.dev,
            believe_clock: self.believe_clock,
            allow_unsafe: self.allow_unsafe_settings,
            expect: self.expect_store,
            ..Options::default()
        };
        let folder = self.journal.folder(self.dev)?;
        if folder.is_none() && !self.dev {
            tracing::warn!(
                "no journal is kept, as --no-journal says: a restored backup, or a fail-over that lost \
                 the last grants, is not noticed by the next start, and numbers would be granted twice"
            );
        }
        // A server's address in LEAFID_STORE is for clients that are started from the same shell, as the README has it.
        let is_clients =
            |url: &&str| self.dev && is_server(url) && variable().as_deref() == Some(*url);
        let given = self.store.as_deref().filter(|url| !is_clients(url));
        let named = leaf::store(&leafs, given)?.unwrap_or(DEFAULT_FILE);
        let store = store::open(named, options, folder)?;
        let owner = self.leaf.owner(&leafs, &store).await?;
        let reloads = tokio::spawn(reload.run(hangups));
        if let Some(wanted) = apply {
            apply::at_start(wanted, Arc::clone(&store))?;
        }
        listen::tell(&bound)?;
        let modes = Modes { any_key: Place::is_leafs(named), ..leafs.modes };
        let limits = self.listen.limits();
        let config = Config { leaf: modes, owner, limits, ..Config::default() };
        // The sockets are open: clients that come now wait, and get no error.
        notify::tell(notify::READY);
        let watchdog = notify::watchdog();
        let stop = async move {
            stop.await;
            notify::tell(notify::STOPPING);
        };
        let served = serve::serve(bound, config, Arc::clone(&store), stop).await;
        // Carries out waiting requests, and refuses later ones; an error says that it was closed already.
        let _ = store.close().await;
        watchdog.inspect(JoinHandle::abort);
        reloads.abort();
        served?;
        tell("leafid: stopped");
        Ok(())
    }
}
