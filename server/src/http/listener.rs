//! Listeners, and the groups of paths that each serves.

use std::net::SocketAddr;

use crate::access::principal::Verb;

/// A group of paths; a listener serves all of them or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// Leases, windows, single IDs: hand out and take back.
    Leases,
    /// Reading: tags, namespaces, worker numbers, the parts of an ID.
    Reads,
    /// Changes by an operator: tags, namespaces, worker numbers.
    Admin,
    /// Liveness, readiness, and the description of the API.
    Health,
    /// Metrics, and the dashboard's figures.
    Seen,
    /// The dashboard's page: the same for everybody, without figures.
    Page,
}

impl Face {
    /// All of them.
    pub const ALL: [Face; 6] =
        [Face::Leases, Face::Reads, Face::Admin, Face::Health, Face::Seen, Face::Page];

    /// The right that a caller needs, where tokens are required. Probes have no token, and the page must be
    /// there before a user can type one into it.
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

/// A listener: a name, and what it serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Its name in the log and in messages.
    pub name: &'static str,
    faces: &'static [Face],
}

impl Listener {
    /// The only listener of a server: it serves everything.
    pub const ONLY: Listener = Listener { name: "api", faces: &Face::ALL };
    /// The listener of holders, where operators have one of their own, or none of them can be told apart.
    pub const API: Listener =
        Listener { name: "api", faces: &[Face::Leases, Face::Reads, Face::Health] };
    /// The operators' listener.
    pub const ADMIN: Listener = Listener {
        name: "admin",
        faces: &[Face::Reads, Face::Admin, Face::Health, Face::Seen, Face::Page],
    };
    /// The listener of Leaf's clients: it serves Leaf's paths alone.
    pub const LEAF: Listener = Listener { name: "leaf", faces: &[] };
    /// No listener: a verb calls the handlers in its own process.
    pub const COMMAND: Listener = Listener { name: "command", faces: &Face::ALL };

    /// Whether it serves this group.
    pub fn serves(&self, face: Face) -> bool {
        self.faces.contains(&face)
    }
}

/// A listener at an address.
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
    /// The address as a URL.
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
