//! The options of `leafid serve` for who comes from Leaf.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use leafid_core::Code;

use super::args::listen;
use super::complain;
use crate::leaf::Modes;
use crate::leaf::config::{LeafConfig, SnowflakeSettings};
use crate::problem::Problem;

#[derive(Args, Debug)]
pub struct Leaf {
    /// An address for Leaf's clients (loopback only): its paths are served there
    /// [default with --leaf-config: 127.0.0.1 and `server.port`, or 8080]
    #[arg(long, env = "LEAFID_LISTEN_LEAF", value_name = "HOST:PORT", value_parser = listen)]
    listen_leaf: Option<SocketAddr>,
    /// Leaf's own `leaf.properties`: its modes, and its database as the store, with `leaf_alloc` as
    /// the tags
    #[arg(long, env = "LEAFID_LEAF_CONFIG", value_name = "FILE")]
    leaf_config: Option<PathBuf>,
}

/// What they come to.
pub struct Settings {
    /// Where Leaf's paths are served, if they are.
    pub listen: Option<SocketAddr>,
    /// Which of its modes are on.
    pub modes: Modes,
    /// The URL of Leaf's database, with its password.
    store: Option<String>,
}

impl Leaf {
    /// Reads the file, if one is named.
    ///
    /// # Errors
    /// As [`LeafConfig::read`], and `NOT_ENABLED` for worker numbers from where none come yet.
    pub fn read(&self) -> Result<Settings, Problem> {
        let Some(file) = &self.leaf_config else {
            return Ok(Settings { listen: self.listen_leaf, modes: Modes::BOTH, store: None });
        };
        let config = LeafConfig::read(file)?;
        for key in &config.unknown {
            complain(format_args!(
                "leafid: `{}` has the unknown key `{key}`: nothing is done with it",
                file.display()
            ));
        }
        if let Some(snowflake) = &config.snowflake {
            worker_numbers(snowflake)?;
        }
        let modes =
            Modes { segment: config.segment.is_some(), snowflake: config.snowflake.is_some() };
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, config.port));
        let listen = Some(self.listen_leaf.unwrap_or(at));
        Ok(Settings { listen, modes, store: config.segment.map(|segment| segment.url) })
    }
}

impl Settings {
    /// The store: the one that is named, or Leaf's database.
    ///
    /// # Errors
    /// `REQUEST_INVALID` where both are.
    pub fn store<'s>(&'s self, named: Option<&'s str>) -> Result<Option<&'s str>, Problem> {
        match (self.store.as_deref(), named) {
            // A variable that is there and empty names none.
            (Some(_), Some(named)) if !named.is_empty() => Err(Problem::new(
                Code::RequestInvalid,
                "two stores are named: leaf.jdbc.url in the file of --leaf-config, and --store or \
                 LEAFID_STORE; leave out the second, or set leaf.segment.enable=false",
            )),
            (leaf, named) => Ok(leaf.or(named)),
        }
    }
}

/// Numbers that this server leases from its own store are given by ZooKeeper, a table or a map to
/// others: two holders of one number would make equal IDs.
fn worker_numbers(snowflake: &SnowflakeSettings) -> Result<(), Problem> {
    let mode = snowflake.mode.as_deref().unwrap_or("zk_normal");
    let detail = format!(
        "leaf.snowflake.enable is true, or absent, which Leaf takes for true, and worker numbers of \
         its mode {mode} are not served yet: a number that ZooKeeper, a table or a map gave to a \
         Leaf could be leased here once more; set leaf.snowflake.enable=false and leave snowflakes \
         to Leaf"
    );
    Err(Problem::new(Code::NotEnabled, detail))
}
