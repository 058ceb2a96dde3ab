//! Where `leafid serve` listens, and what it asks of callers there.

use std::net::SocketAddr;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use leafid_core::Code;

use super::args::{connections, host, listen};
use super::sockets;
use crate::http::life::Limits;
use crate::http::listener::Listener;
use crate::http::rules::{Hosts, Rules};
use crate::http::serve::Bound;
use crate::problem::Problem;

const USUAL: &str = "127.0.0.1:8750";

#[derive(Args, Debug)]
pub struct Listen {
    /// An address and port to listen on; may be repeated
    #[arg(long, env = "LEAFID_LISTEN", value_name = "HOST:PORT", default_value = USUAL,
          value_delimiter = ',', value_parser = listen)]
    listen: Vec<SocketAddr>,
    /// An address for operators; may be repeated: tags and namespaces are then created, changed and
    /// deleted there, worker numbers released there, and no longer at --listen
    #[arg(long, env = "LEAFID_LISTEN_ADMIN", value_name = "HOST:PORT", value_delimiter = ',',
          value_parser = listen)]
    listen_admin: Vec<SocketAddr>,
    /// Lets a listener be reached from other machines although everybody there may use it: for a
    /// network of which every machine is trusted; may be repeated
    #[arg(long, env = "LEAFID_INSECURE", value_name = "LISTENER", value_delimiter = ',')]
    insecure: Vec<Open>,
    /// A host name under which this server may be asked for without tokens, besides its addresses;
    /// may be repeated
    #[arg(long, env = "LEAFID_ALLOW_HOST", value_name = "NAME", value_delimiter = ',',
          value_parser = host)]
    allow_host: Vec<String>,
    /// The connections of one listener; more are turned away
    #[arg(long, env = "LEAFID_MAX_CONNECTIONS", value_name = "N", value_parser = connections,
          default_value_t = Limits::default().connections)]
    max_connections: usize,
}

/// A listener that may be open to everybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Open {
    /// The listener of --listen
    Api,
    /// The listener of --listen-leaf
    Leaf,
}

/// The sockets of a server, with the text that tells each, in the order of the options.
pub struct Sockets {
    told: Vec<String>,
    bound: Vec<Bound>,
}

impl Listen {
    /// How long clients may take, and how many there may be.
    pub fn limits(&self) -> Limits {
        Limits { connections: self.max_connections, ..Limits::default() }
    }

    /// Binds all addresses, Leaf's too.
    ///
    /// # Errors
    /// `NOT_ENABLED` for an address that others reach and nothing guards, `STORE_UNAVAILABLE` for one
    /// that is in use.
    pub async fn bind(&self, leaf: &[SocketAddr]) -> Result<Sockets, Problem> {
        let has_admin = !self.listen_admin.is_empty();
        let usual = if has_admin { Listener::API } else { Listener::ONLY };
        let all = [
            ("--listen", Some(Open::Api), usual, &self.listen[..]),
            ("--listen-admin", None, Listener::ADMIN, &self.listen_admin),
            ("--listen-leaf", Some(Open::Leaf), Listener::LEAF, leaf),
        ];
        let mut planned = Vec::new();
        for (option, open, listener, addresses) in all {
            for &address in addresses {
                planned.push((option, self.ruled(open, listener, address)?, address));
            }
        }
        let addresses: Vec<SocketAddr> = planned.iter().map(|(_, _, at)| *at).collect();
        sockets::room_for(self.max_connections);
        let mut sockets = Sockets { told: Vec::new(), bound: Vec::new() };
        for (option, (listener, rules), address) in planned {
            let socket = sockets::bind(address, &addresses, option)?;
            let at = socket.local_addr().map_err(|error| sockets::unbound(address, option, &error));
            sockets.told.push(told(listener, &format!("http://{}", at?)));
            sockets.bound.push(Bound { listener, rules, socket });
        }
        Ok(sockets)
    }

    /// What an address serves and asks.
    fn ruled(
        &self,
        open: Option<Open>,
        listener: Listener,
        address: SocketAddr,
    ) -> Result<(Listener, Rules), Problem> {
        if address.ip().is_loopback() {
            return Ok((listener, Rules::default()));
        }
        let Some(open) = open.filter(|open| self.insecure.contains(open)) else {
            return Err(unguarded(open, address));
        };
        // Who may change anything cannot be told there.
        let listener = if open == Open::Api { Listener::API } else { listener };
        let hosts = Hosts::Named(Arc::from(self.allow_host.clone()));
        let at = listener.name;
        tracing::warn!("{at} at {address} is open to everybody who can reach it: --insecure {at}");
        Ok((listener, Rules { hosts }))
    }
}

impl Sockets {
    /// Tells the addresses. Those that clients wait for come last, the first of them last of all:
    /// whoever has read it knows all of them.
    pub fn tell(self, tell: impl Fn(&str)) -> Vec<Bound> {
        self.told.iter().rev().for_each(|told| tell(told));
        self.bound
    }
}

fn told(listener: Listener, at: &str) -> String {
    match listener {
        Listener::ADMIN => format!("leafid: changes are made at {at}"),
        Listener::LEAF => format!("leafid: Leaf's paths are at {at}"),
        _ => format!("leafid: listening on {at}"),
    }
}

fn unguarded(open: Option<Open>, address: SocketAddr) -> Problem {
    let cure = match open {
        None => "changes are made from this machine alone: listen on 127.0.0.1 or [::1]".to_owned(),
        Some(open) => {
            let name = open.to_possible_value();
            let name = name.as_ref().map_or("api", |value| value.get_name());
            format!(
                "listen on 127.0.0.1 or [::1], or, if every machine of that network may use it: \
                 --insecure {name}"
            )
        }
    };
    let detail = format!("`{address}` can be reached from other machines; {cure}");
    Problem::new(Code::NotEnabled, detail)
}
