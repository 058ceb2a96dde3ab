//! Where the nodes of a store lie.

use leafid_core::{Name, Token};

use crate::hex::hex;
use crate::keyed::engine::{Folder, Key, bucket};

#[derive(Clone, Debug)]
pub struct Paths {
    root: String,
}

impl Paths {
    pub fn under(root: &str) -> Paths {
        Paths { root: root.to_owned() }
    }

    pub fn root(&self) -> String {
        self.root.clone()
    }

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

    pub fn meta(&self) -> String {
        format!("{}/meta", self.root)
    }

    pub fn beat(&self) -> String {
        format!("{}/beat", self.root)
    }

    pub fn probe(&self) -> String {
        format!("{}/probe", self.root)
    }

    pub fn folder(&self, folder: Folder) -> String {
        match folder {
            Folder::Tags => format!("{}/tags", self.root),
            Folder::Spaces => format!("{}/namespaces", self.root),
        }
    }

    pub fn space(&self, name: &Name) -> String {
        format!("{}/namespaces/{name}", self.root)
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

    pub fn worker(&self, name: &Name, worker: u32) -> String {
        format!("{}/{worker}", self.bucket(name, bucket(worker)))
    }

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

pub fn version(counted: u64) -> i32 {
    (counted as u32).cast_signed()
}
