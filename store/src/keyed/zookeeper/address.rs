//! `zk://HOST:PORT[,HOST:PORT]/PATH`: where a store in ZooKeeper is, and where its nodes lie.

use leafid_core::{Name, Token};

use crate::backends::address::{prints_its_place, unusable};
use crate::keyed::address::{Parts, parts};
use crate::keyed::engine::{Folder, Key, bucket};
use crate::problem::Problem;
use leafid_turn::hex;

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
        let Parts { login, hosts, path, place, .. } =
            parts(url, PORT, &[]).map_err(|why| wrong(&why))?;
        let path = if path.is_empty() { "/leafid".to_owned() } else { path };
        if path == "/zookeeper" || path.starts_with("/zookeeper/") {
            return Err(wrong("`/zookeeper` is ZooKeeper's own"));
        }
        let login = login.map(|(user, password)| format!("{user}:{password}"));
        Ok(Address { hosts: hosts.join(","), path, login, place })
    }
}

prints_its_place!(Address);

#[derive(Clone, Debug)]
pub struct Paths {
    pub root: String,
}

impl Paths {
    pub fn of(&self, key: &Key) -> String {
        let worker = |name: &Name, n: u32| format!("{}/{n}", self.bucket(name, bucket(n)));
        key.below(&self.root, worker)
    }

    /// The node that is there as long as the store is this one: by its version a node that was
    /// deleted and made again is not told from what it was.
    pub fn mark(&self, store: Token) -> String {
        format!("{}/store-{}", self.root, hex(store))
    }

    pub fn probe(&self) -> String {
        format!("{}/probe", self.root)
    }

    pub fn folder(&self, folder: Folder) -> String {
        format!("{}/{}", self.root, folder.path())
    }

    pub fn space(&self, name: &Name) -> String {
        self.of(&Key::Space(*name))
    }

    pub fn touch(&self, name: &Name) -> String {
        format!("{}/touched", self.space(name))
    }

    pub fn made(&self, name: &Name) -> String {
        format!("{}/made", self.space(name))
    }

    /// A bucket: its version counts its touches.
    pub fn bucket(&self, name: &Name, bucket: u32) -> String {
        format!("{}/b{bucket}", self.space(name))
    }

    pub fn seal(&self, name: &Name, bucket: u32) -> String {
        format!("{}/written", self.bucket(name, bucket))
    }

    pub fn bucket_of(child: &str) -> Option<u32> {
        child.strip_prefix('b')?.parse().ok()
    }

    pub fn is_empty_store(child: &str) -> bool {
        matches!(child, "probe" | "tags" | "namespaces")
    }
}

/// A version as a count: it goes on below zero when it reaches its end.
pub fn counted(version: i32) -> u64 {
    u64::from(version.cast_unsigned())
}

pub fn version(counted: u64) -> i32 {
    (counted as u32).cast_signed()
}
