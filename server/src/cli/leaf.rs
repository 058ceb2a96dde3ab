//! The options of `leafid serve` for users of Leaf.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;
use ipnet::IpNet;
use leafid_core::Name;
use leafid_leaf::Modes;
use leafid_leaf::config::LeafConfig;
use leafid_leaf::service::NAMESPACE;
use leafid_leaf::workers::start::take_over;
use leafid_store::clock::{Clock, SystemClock};
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;

use super::args::{listen, net};
use super::store::tell;
use super::{complain, invalid};

#[derive(Args, Debug)]
pub struct Leaf {
    /// An address for Leaf's clients, whose paths are served there; may be repeated
    /// [default with --leaf-config: 127.0.0.1 and `server.port`, or 8080]
    #[arg(long, env = "LEAFID_LISTEN_LEAF", value_name = "HOST:PORT", value_delimiter = ',',
          value_parser = listen)]
    pub listen_leaf: Vec<SocketAddr>,
    /// Which clients may use --listen-leaf, as they can send no token: an address, or a range of them; may
    /// be repeated. Without it everyone who reaches the listener may
    #[arg(long, env = "LEAFID_LEAF_ALLOW", value_name = "CIDR", value_delimiter = ',',
          value_parser = net)]
    pub leaf_allow: Vec<IpNet>,
    /// Leaf's own `leaf.properties`: its modes, and its database as the store, with `leaf_alloc` as
    /// the tags
    #[arg(long, env = "LEAFID_LEAF_CONFIG", value_name = "FILE")]
    leaf_config: Option<PathBuf>,
    /// The Leaf of this machine, or in mode zk_recycle every Leaf, has stopped for good and starts no more:
    /// its worker number is taken over
    #[arg(long, env = "LEAFID_LEAF_STOPPED", value_parser = BoolishValueParser::new(), requires = "leaf_config")]
    leaf_stopped: bool,
}

impl Leaf {
    /// Reads Leaf's own settings, which also name an address where no other is given. Without its file both
    /// modes are served, over a store and worker numbers of leafid's.
    pub fn read(&mut self) -> Result<LeafConfig, Problem> {
        let Some(file) = &self.leaf_config else {
            if self.listen_leaf.is_empty() && !self.leaf_allow.is_empty() {
                return Err(invalid(
                    "--leaf-allow is about the listener of Leaf's clients, and there is none: name its \
                     address with --listen-leaf, or leave out --leaf-allow",
                ));
            }
            return Ok(LeafConfig { port: 0, modes: Modes::BOTH, store: None, workers: None });
        };
        let config = LeafConfig::read(file, |key| {
            complain(format_args!(
                "leafid: `{}` has the unknown key `{key}`, which is ignored",
                file.display()
            ));
        })?;
        if self.listen_leaf.is_empty() {
            self.listen_leaf.push(SocketAddr::from((Ipv4Addr::LOCALHOST, config.port)));
        }
        Ok(config)
    }

    /// Sets aside the worker numbers that Leaf has, and gives this machine's owner name there, if it has one.
    pub async fn owner(
        &self,
        config: &LeafConfig,
        store: &Registry,
    ) -> Result<Option<Name>, Problem> {
        let Some(place) = &config.workers else { return Ok(None) };
        let (namespace, now) = (Name::namespace(NAMESPACE)?, SystemClock.wall());
        take_over(place, store, namespace, self.leaf_stopped, now, tell).await
    }
}

/// The store that Leaf's settings name, or else this one; never both.
pub fn store<'s>(
    config: &'s LeafConfig,
    named: Option<&'s str>,
) -> Result<Option<&'s str>, Problem> {
    match (config.store.as_deref(), named) {
        (Some(_), Some(_)) => Err(invalid(
            "two stores are named: leaf.jdbc.url in the file of --leaf-config, and --store or \
             LEAFID_STORE; leave out the second, or set leaf.segment.enable=false",
        )),
        (of_leaf, named) => Ok(of_leaf.or(named)),
    }
}
