//! Parses `zk://HOST:PORT[,HOST:PORT]/PATH`, the URL of a store in ZooKeeper, and names its nodes.

use leafid_core::{Name, Token};

use crate::backends::address::unusable;
pub use crate::keyed::address::Address;
use crate::keyed::address::parts;
use crate::keyed::engine::{BUCKET, Folder, Key};
use crate::problem::Problem;
use leafid_turn::hex;

const PORT: u16 = 2181;

const FORM: &str = "`zk://[USER:PASSWORD@]HOST:PORT[,…]/PATH`";

impl Address {
    /// Reads a URL.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, which does not repeat the URL: it may have a password.
    pub fn parse(url: &str) -> Result<Address, Problem> {
        let wrong = |why: &str| unusable("ZooKeeper", why, FORM);
        let address = parts(url, PORT, &[]).map_err(|why| wrong(&why))?;
        if address.path == "/zookeeper" || address.path.starts_with("/zookeeper/") {
            return Err(wrong("`/zookeeper` is ZooKeeper's own"));
        }
        Ok(address)
    }
}

#[derive(Clone, Debug)]
pub struct Paths {
    pub root: String,
}

impl Paths {
    pub fn of(&self, key: &Key) -> String {
        let worker = |name: &Name, n: u32| format!("{}/{n}", self.bucket(name, n / BUCKET));
        key.below(&self.root, worker)
    }

    /// The node that identifies the store by its name: the version of a node that was deleted and made
    /// again may be the same.
    pub fn mark(&self, store: Token) -> String {
        format!("{}/store-{}", self.root, hex(store))
    }

    pub fn probe(&self) -> String {
        format!("{}/probe", self.root)
    }

    pub fn folder(&self, folder: Folder) -> String {
        format!("{}/{}", self.root, folder.path)
    }

    pub fn space(&self, name: &Name) -> String {
        self.of(&Key::Space(*name))
    }

    /// The node that each write of any of a namespace's worker numbers writes, too.
    pub fn touch(&self, name: &Name) -> String {
        format!("{}/touched", self.space(name))
    }

    /// The node of a bucket, which each write of its worker numbers writes, too.
    pub fn bucket(&self, name: &Name, bucket: u32) -> String {
        format!("{}/b{bucket}", self.space(name))
    }

    pub fn bucket_of(child: &str) -> Option<u32> {
        child.strip_prefix('b')?.parse().ok()
    }
}

/// A version as a count: after the greatest `i32` versions go on below zero.
pub fn counted(version: i32) -> u64 {
    u64::from(version.cast_unsigned())
}

pub fn version(counted: u64) -> i32 {
    (counted as u32).cast_signed()
}
