//! `zk://HOST:PORT[,HOST:PORT]/PATH`: where a store in ZooKeeper is.

use crate::backends::address::{prints_its_place, unusable};
use crate::keyed::address::{Parts, parts};
use crate::problem::Problem;

/// The port of a server that is named without one.
const PORT: u16 = 2181;

const FORM: &str = "`zk://[USER:PASSWORD@]HOST:PORT[,…]/PATH`";

/// Where a store in ZooKeeper is, and who asks.
#[derive(Clone)]
pub struct Address {
    /// The servers, each with a port, divided by commas.
    pub hosts: String,
    /// The node that all others lie below.
    pub path: String,
    /// `USER:PASSWORD`; never shown.
    pub login: Option<String>,
    /// The URL without the password.
    pub place: String,
}

impl Address {
    /// Reads a URL.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, which does not repeat the URL: it may have a password.
    pub fn parse(url: &str) -> Result<Address, Problem> {
        let wrong = |why: &str| unusable("ZooKeeper", why, FORM);
        let Parts { login, hosts, path, options, place, .. } =
            parts(url, PORT).map_err(|why| wrong(&why))?;
        if let Some(option) = options.keys().next() {
            return Err(wrong(&format!("unknown option `{option}`")));
        }
        let path = if path.is_empty() { "/leafid".to_owned() } else { path };
        if path == "/zookeeper" || path.starts_with("/zookeeper/") {
            return Err(wrong("`/zookeeper` is ZooKeeper's own"));
        }
        let login = login.map(|(user, password)| format!("{user}:{password}"));
        Ok(Address { hosts: hosts.join(","), path, login, place })
    }
}

prints_its_place!(Address);
