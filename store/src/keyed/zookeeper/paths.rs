//! Where the nodes of a store lie.

use leafid_core::{Name, Token};

use crate::hex::hex;
use crate::keyed::engine::{Folder, Key, bucket};

/// The nodes under a path.
#[derive(Clone, Debug)]
pub struct Paths {
    root: String,
}

impl Paths {
    /// Under this path.
    pub fn under(root: &str) -> Paths {
        Paths { root: root.to_owned() }
    }

    /// The node of all.
    pub fn root(&self) -> String {
        self.root.clone()
    }

    /// A key's node.
    pub fn of(&self, key: &Key) -> String {
        let root = &self.root;
        match key {
            Key::Meta => self.meta(),
            Key::Beat => self.beat(),
            Key::Fence => format!("{root}/fence"),
            Key::Tag(tag) => format!("{root}/tags/{tag}"),
            Key::Space(name) => self.space(name),
            Key::Worker(name, worker) => self.worker(name, *worker),
        }
    }

    /// The node that is there as long as the store is this one: by its version a node that was
    /// deleted and made again is not told from what it was.
    pub fn mark(&self, store: Token) -> String {
        format!("{}/store-{}", self.root, hex(store))
    }

    /// What the store says of itself.
    pub fn meta(&self) -> String {
        format!("{}/meta", self.root)
    }

    /// When it was used last.
    pub fn beat(&self) -> String {
        format!("{}/beat", self.root)
    }

    /// What is written to learn the leader's time.
    pub fn probe(&self) -> String {
        format!("{}/probe", self.root)
    }

    /// The nodes with names.
    pub fn folder(&self, folder: Folder) -> String {
        match folder {
            Folder::Tags => format!("{}/tags", self.root),
            Folder::Spaces => format!("{}/namespaces", self.root),
        }
    }

    /// A namespace.
    pub fn space(&self, name: &Name) -> String {
        format!("{}/namespaces/{name}", self.root)
    }

    /// The node whose version counts the touches of a namespace.
    pub fn touch(&self, name: &Name) -> String {
        format!("{}/touched", self.space(name))
    }

    /// The node whose version counts the buckets that a namespace was given.
    pub fn made(&self, name: &Name) -> String {
        format!("{}/made", self.space(name))
    }

    /// A bucket: its version counts its touches.
    pub fn bucket(&self, name: &Name, bucket: u32) -> String {
        format!("{}/b{bucket}", self.space(name))
    }

    /// The node whose version counts the writings of a bucket's rows.
    pub fn seal(&self, name: &Name, bucket: u32) -> String {
        format!("{}/written", self.bucket(name, bucket))
    }

    /// A worker number.
    pub fn worker(&self, name: &Name, worker: u32) -> String {
        format!("{}/{worker}", self.bucket(name, bucket(worker)))
    }

    /// The bucket that a node of a namespace is.
    pub fn bucket_of(child: &str) -> Option<u32> {
        child.strip_prefix('b')?.parse().ok()
    }

    /// Whether a node of the root is there without a store.
    pub fn is_empty_store(child: &str) -> bool {
        matches!(child, "probe" | "tags" | "namespaces")
    }
}

/// A version as a count: it goes on below zero when it reaches its end.
pub fn counted(version: i32) -> u64 {
    u64::from(version.cast_unsigned())
}

/// A count as a version.
pub fn version(counted: u64) -> i32 {
    (counted as u32).cast_signed()
}
