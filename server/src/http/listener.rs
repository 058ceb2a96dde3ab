//! Which groups of paths a listener serves.

use std::net::SocketAddr;

use crate::access::principal::Verb;

/// A group of paths: a listener serves all of it or nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// What hands out or takes back: leases, windows, single IDs.
    Leases,
    /// What only reads: tags, namespaces, worker numbers, and what an ID is made of.
    Reads,
    /// What an operator changes: tags, namespaces, who holds a worker number.
    Admin,
    /// Whether the server lives and can serve, and the description of the API.
    Health,
    /// What is for the eyes of operators: metrics, and what the dashboard shows.
    Seen,
    /// The dashboard itself: the same for everybody, and without any figure.
    Page,
}

impl Face {
    /// All of them.
    pub const ALL: [Face; 6] =
        [Face::Leases, Face::Reads, Face::Admin, Face::Health, Face::Seen, Face::Page];

    /// What a caller must be allowed, where tokens are asked for. Probes have none, and a page
    /// must be there before somebody can type a token into it.
    pub const fn verb(self) -> Option<Verb> {
        match self {
            Face::Leases => Some(Verb::Lease),
            Face::Reads => Some(Verb::Read),
            Face::Admin => Some(Verb::Admin),
            Face::Seen => Some(Verb::Metrics),
            Face::Health | Face::Page => None,
        }
    }
}

/// What is served at one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listener {
    /// What it is called in the log and in messages.
    pub name: &'static str,
    faces: &'static [Face],
}

impl Listener {
    /// The only listener of a server: it serves everything.
    pub const ONLY: Listener = Listener { name: "api", faces: &Face::ALL };
    /// The listener of the holders, where operators have one of their own, or nobody knows who is one.
    pub const API: Listener =
        Listener { name: "api", faces: &[Face::Leases, Face::Reads, Face::Health] };
    /// The listener of the operators.
    pub const ADMIN: Listener = Listener {
        name: "admin",
        faces: &[Face::Reads, Face::Admin, Face::Health, Face::Seen, Face::Page],
    };
    /// The listener of Leaf's clients: it serves Leaf's paths, and none of ours.
    pub const LEAF: Listener = Listener { name: "leaf", faces: &[] };
    /// No listener: the command line asks the paths in its own process.
    pub const COMMAND: Listener = Listener { name: "command", faces: &Face::ALL };

    /// Whether it serves these paths.
    pub fn serves(&self, face: Face) -> bool {
        self.faces.contains(&face)
    }
}

/// A listener and where it listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The listener.
    pub listener: Listener,
    /// Whether it speaks TLS there.
    pub tls: bool,
    /// Its address.
    pub address: SocketAddr,
}

impl At {
    /// It as a URL.
    pub fn url(&self) -> String {
        let scheme = if self.tls { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.listener.name, self.url())
    }
}
