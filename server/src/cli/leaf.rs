//! The options of `leafid serve` for who comes from Leaf.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use ipnet::IpNet;
use leafid_core::{Code, Name};
use leafid_leaf::Modes;
use leafid_leaf::config::LeafConfig;
use leafid_leaf::service::NAMESPACE;
use leafid_leaf::workers::modes::Place;
use leafid_leaf::workers::start::take_over;
use leafid_store::clock::SystemClock;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;

use super::args::{ids_per_day, listen, switch};
use super::complain;
use super::store::tell;
use crate::access::nets::{self, Nets};

#[derive(Args, Debug)]
pub struct Leaf {
    /// An address for Leaf's clients, whose paths are served there; may be repeated
    /// [default with --leaf-config: 127.0.0.1 and `server.port`, or 8080]
    #[arg(long, env = "LEAFID_LISTEN_LEAF", value_name = "HOST:PORT", value_delimiter = ',',
          value_parser = listen)]
    listen_leaf: Vec<SocketAddr>,
    /// Which clients may use --listen-leaf, as they can send no token: an address, or a range of them; may
    /// be repeated. Without it everyone who reaches the listener may
    #[arg(long, env = "LEAFID_LEAF_ALLOW", value_name = "CIDR", value_delimiter = ',',
          value_parser = nets::parse)]
    leaf_allow: Vec<IpNet>,
    /// How many IDs --listen-leaf gives in a day (UTC), counted by this server alone: a restart begins
    /// again at 0
    #[arg(long, env = "LEAFID_LEAF_IDS_PER_DAY", value_name = "N", value_parser = ids_per_day)]
    leaf_ids_per_day: Option<u64>,
    /// Leaf's own `leaf.properties`: its modes, and its database as the store, with `leaf_alloc` as
    /// the tags
    #[arg(long, env = "LEAFID_LEAF_CONFIG", value_name = "FILE")]
    leaf_config: Option<PathBuf>,
    /// The Leaf of this machine, or in mode zk_recycle every Leaf, has stopped for good and starts no more:
    /// its worker number is taken over
    #[arg(long, env = "LEAFID_LEAF_STOPPED", value_parser = switch, requires = "leaf_config")]
    leaf_stopped: bool,
}

/// What they come to.
pub struct Settings {
    /// Where Leaf's paths are served, if they are.
    pub listen: Vec<SocketAddr>,
    /// Whose addresses may ask there.
    pub allow: Nets,
    /// How many IDs are given there in a day.
    pub ids_per_day: Option<u64>,
    /// Which of its modes are on.
    pub modes: Modes,
    /// The URL of Leaf's database, with its password.
    store: Option<String>,
    /// Where Leaf's worker numbers are, if snowflakes are served.
    workers: Option<Place>,
    /// Whether the Leaf of this machine has stopped for good.
    stopped: bool,
}

impl Leaf {
    /// Reads the file, if one is named.
    ///
    /// # Errors
    /// As [`LeafConfig::read`] and [`Place::of`].
    pub fn read(&self) -> Result<Settings, Problem> {
        let (allow, ids_per_day) = (Nets::new(&self.leaf_allow), self.leaf_ids_per_day);
        let Some(file) = &self.leaf_config else {
            self.needs_listener()?;
            return Ok(Settings {
                listen: self.listen_leaf.clone(),
                allow,
                ids_per_day,
                modes: Modes::BOTH,
                store: None,
                workers: None,
                stopped: false,
            });
        };
        let config = LeafConfig::read(file)?;
        for key in &config.unknown {
            complain(format_args!(
                "leafid: `{}` has the unknown key `{key}`, which is ignored",
                file.display()
            ));
        }
        let workers = Place::of(&config)?;
        let (segment, snowflake) = (config.segment.is_some(), config.snowflake.is_some());
        let modes = Modes { segment, snowflake, ..Modes::BOTH };
        let listen = match &self.listen_leaf[..] {
            [] => vec![SocketAddr::from((Ipv4Addr::LOCALHOST, config.port))],
            said => said.to_vec(),
        };
        let store = config.segment.map(|segment| segment.url);
        let stopped = self.leaf_stopped;
        Ok(Settings { listen, allow, ids_per_day, modes, store, workers, stopped })
    }

    /// What is said of a listener wants one.
    fn needs_listener(&self) -> Result<(), Problem> {
        let option = match (&self.listen_leaf[..], &self.leaf_allow[..], self.leaf_ids_per_day) {
            ([], [_, ..], _) => "--leaf-allow",
            ([], _, Some(_)) => "--leaf-ids-per-day",
            _ => return Ok(()),
        };
        let detail = format!(
            "{option} is about the listener of Leaf's clients, and there is none: name its address with \
             --listen-leaf, or leave out {option}"
        );
        Err(Problem::new(Code::RequestInvalid, detail))
    }
}

impl Settings {
    /// The store: the one that is named, or Leaf's database.
    ///
    /// # Errors
    /// `REQUEST_INVALID` where both are.
    pub fn store<'s>(&'s self, named: Option<&'s str>) -> Result<Option<&'s str>, Problem> {
        if self.store.is_none() || named.is_none() {
            return Ok(self.store.as_deref().or(named));
        }
        Err(Problem::new(
            Code::RequestInvalid,
            "two stores are named: leaf.jdbc.url in the file of --leaf-config, and --store or \
             LEAFID_STORE; leave out the second, or set leaf.segment.enable=false",
        ))
    }

    /// Takes in which worker numbers Leaf has, and gives the owner that this machine has been, if it has.
    ///
    /// # Errors
    /// As [`take_over`].
    pub async fn owner(&self, store: &Arc<Registry>) -> Result<Option<Name>, Problem> {
        let Some(place) = self.workers.clone() else { return Ok(None) };
        let (store, namespace) = (Arc::clone(store), Name::namespace(NAMESPACE)?);
        let stopped = self.stopped;
        let taken = move || take_over(&place, store, namespace, stopped, &SystemClock, tell);
        // It waits for databases, and for a Leaf that has just stopped.
        tokio::task::spawn_blocking(taken).await.unwrap_or_else(|error| {
            Err(Problem::new(Code::Internal, format!("Leaf's numbers are not taken in: {error}")))
        })
    }
}
