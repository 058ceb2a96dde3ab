//! The addresses of `leafid serve`, and their conditions for callers.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use leafid_core::Code;
use leafid_store::problem::Problem;
use tokio::net::TcpListener;

use super::args::{Place, host, place};
use super::leaf::Leaf;
use super::store;
use crate::access::tokens::Tokens;
use crate::host;
use crate::http::deadlines::Limits;
use crate::http::listener::Listener;
use crate::http::reload::Reload;
use crate::http::rules::{Hosts, Rules};
use crate::http::serve::Bound;
use crate::http::tls::{Files, Tls};

const USUAL: &str = "127.0.0.1:8750";

#[derive(Args, Debug)]
pub struct Listen {
    /// An address and port to listen on; may be repeated. Where other machines reach it, it needs TLS and
    /// tokens. `http://HOST:PORT` speaks plain HTTP there in any case
    #[arg(long, env = "LEAFID_LISTEN", value_name = "HOST:PORT", default_value = USUAL,
          value_delimiter = ',', value_parser = place)]
    listen: Vec<Place>,
    /// An address for operators; may be repeated: tags and namespaces are then created, changed and
    /// deleted there, worker numbers released there, and no longer at --listen
    #[arg(long, env = "LEAFID_LISTEN_ADMIN", value_name = "HOST:PORT", value_delimiter = ',',
          value_parser = place)]
    listen_admin: Vec<Place>,
    /// The server's certificate, and those between it and its authority, in PEM: the API and the
    /// operators' listener then speak TLS. It is read again when it changes
    #[arg(long, env = "LEAFID_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's key, in PEM
    #[arg(long, env = "LEAFID_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Authorities in PEM: clients must show a certificate of theirs
    #[arg(long, env = "LEAFID_CLIENT_CA", value_name = "FILE", requires = "tls_cert")]
    client_ca: Option<PathBuf>,
    /// The file of principals and their tokens, as `leafid token` makes it: requests without a token are
    /// then refused, at every address. It is read again when it changes
    #[arg(long, env = "LEAFID_TOKENS", value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// Lets a listener be reached from other machines without TLS or without tokens, for a network of
    /// which every machine is trusted; may be repeated. Changes need a token all the same
    #[arg(long, env = "LEAFID_INSECURE", value_name = "LISTENER", value_delimiter = ',')]
    insecure: Vec<Open>,
    /// A host name under which this server may be asked for without tokens, besides its addresses;
    /// may be repeated
    #[arg(long, env = "LEAFID_ALLOW_HOST", value_name = "NAME", value_delimiter = ',',
          value_parser = host)]
    allow_host: Vec<String>,
    /// How many connections a listener has at most; further ones are refused
    #[arg(long, env = "LEAFID_MAX_CONNECTIONS", value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000),
          default_value_t = Limits::default().connections)]
    max_connections: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Open {
    /// The listener of --listen
    Api,
    /// The listener of --listen-admin
    Admin,
    /// The listener of --listen-leaf
    Leaf,
}

impl Listen {
    pub fn limits(&self) -> Limits {
        Limits { connections: self.max_connections, ..Limits::default() }
    }

    pub async fn bind(&self, leaf: &Leaf) -> Result<(Vec<Bound>, Reload), Problem> {
        let guard = self.guard()?;
        let has_admin = !self.listen_admin.is_empty();
        let usual = if has_admin { Listener::API } else { Listener::ONLY };
        let Reload { tokens, tls } = guard.clone();
        let rules = Rules { tokens, tls, ..Rules::default() };
        // Leaf's clients speak neither TLS nor tokens: their addresses identify them.
        let of_leaf = Rules { from: Arc::from(leaf.leaf_allow.clone()), ..Rules::default() };
        let leaf: Vec<Place> =
            leaf.listen_leaf.iter().map(|&at| Place { at, plain: true }).collect();
        let all = [
            ("--listen", Open::Api, usual, &rules, &self.listen[..]),
            ("--listen-admin", Open::Admin, Listener::ADMIN, &rules, &self.listen_admin),
            ("--listen-leaf", Open::Leaf, Listener::LEAF, &of_leaf, &leaf),
        ];
        room_for(self.max_connections);
        let mut bound = Vec::new();
        for (option, open, listener, rules, places) in all {
            for place in places {
                let (listener, rules) = self.ruled(open, listener, *place, rules.clone())?;
                let socket = TcpListener::bind(place.at).await.map_err(|error| {
                    Problem::unavailable(format!(
                        "cannot listen on {}: {error}; stop what listens there, or choose another \
                         address: {option}",
                        place.at
                    ))
                })?;
                bound.push(Bound { listener, rules, socket });
            }
        }
        Ok((bound, guard))
    }

    /// The tokens and the certificate.
    fn guard(&self) -> Result<Reload, Problem> {
        let tokens = self.tokens.as_deref().map(Tokens::open).transpose()?.map(Arc::new);
        let files = self.tls_cert.clone().zip(self.tls_key.clone());
        let files = files.map(|(cert, key)| Files { cert, key, client_ca: self.client_ca.clone() });
        let tls = files.map(Tls::open).transpose()?.map(Arc::new);
        Ok(Reload { tokens, tls })
    }

    /// The listener and its rules at an address, which is refused if others reach it unguarded.
    fn ruled(
        &self,
        open: Open,
        listener: Listener,
        Place { at, plain }: Place,
        rules: Rules,
    ) -> Result<(Listener, Rules), Problem> {
        let is_open = self.insecure.contains(&open);
        let here = at.ip().is_loopback();
        let Rules { tokens, tls, from, .. } = rules;
        let tls = tls.filter(|_| !plain);
        let is_guarded = tokens.is_some() && tls.is_some();
        let needs_token = open == Open::Admin && tokens.is_none();
        let name = listener.name;
        if !here && !is_guarded {
            if !is_open || needs_token {
                return Err(unguarded(open, name, at, tokens.is_some(), plain));
            }
            let lacks = match (&tokens, &tls) {
                (None, _) if !from.is_empty() => "its address alone tells who asks",
                (None, _) => "everybody who reaches it may use it",
                _ => "tokens pass over the network in the clear",
            };
            tracing::warn!("{name} at {at}, for --insecure {name}: {lacks}");
        }
        // Operators cannot be told from other callers there.
        let nobody_known = !here && tokens.is_none() && open == Open::Api;
        let listener = if nobody_known { Listener::API } else { listener };
        let hosts = match (&tokens, here) {
            (Some(_), _) => Hosts::Any,
            (None, true) => Hosts::Loopback,
            (None, false) => Hosts::Named(Arc::from(self.allow_host.clone())),
        };
        Ok((listener, Rules { hosts, tokens, tls, from }))
    }
}

/// Prints the addresses. Those that clients wait for come last, the first of them last of all: a client that has
/// read that one has read all.
pub fn tell(all: &[Bound]) -> Result<(), Problem> {
    for bound in all.iter().rev() {
        let at = bound.at()?.url();
        store::tell(match bound.listener {
            Listener::ADMIN => format!("leafid: changes are made at {at}"),
            Listener::LEAF => format!("leafid: Leaf's paths are at {at}"),
            _ => format!("leafid: listening on {at}"),
        });
    }
    Ok(())
}

fn unguarded(open: Open, name: &str, at: SocketAddr, has_tokens: bool, plain: bool) -> Problem {
    let detail = match open {
        Open::Leaf => format!(
            "`{at}` can be reached from other machines, and clients of Leaf can send no token; listen on \
             127.0.0.1 or [::1], or say who may have IDs, by their addresses: --insecure leaf --leaf-allow \
             10.0.0.0/8"
        ),
        Open::Api | Open::Admin => {
            let (option, verb) = match open {
                Open::Admin => ("--listen-admin", " --verb admin"),
                _ => ("--listen", ""),
            };
            let or = match (open, has_tokens) {
                (Open::Admin, false) => "changes need a token even with --insecure".to_owned(),
                _ => format!("if every machine of that network is trusted, add: --insecure {name}"),
            };
            let and = if plain { ", which `http://` keeps it from" } else { "" };
            format!(
                "`{at}` can be reached from other machines, and needs TLS{and} and tokens:\n  \
                 leafid token create NAME --tokens leafid-tokens.toml{verb}\n  \
                 openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=leafid \
                 -addext subjectAltName=DNS:HOST -addext basicConstraints=critical,CA:FALSE \
                 -keyout key.pem -out cert.pem\n  \
                 leafid serve {option} {at} --tokens leafid-tokens.toml --tls-cert cert.pem \
                 --tls-key key.pem\nor listen on 127.0.0.1 or [::1]; {or}"
            )
        }
    };
    Problem::new(Code::NotEnabled, detail)
}

/// Raises the limit of open files to what the connections need, as far as that is allowed.
fn room_for(connections: usize) {
    // Beside one listener's connections there are the others', the store's files, and the database's.
    let connections = u64::try_from(connections).unwrap_or(u64::MAX);
    let wanted = connections.saturating_mul(2).saturating_add(256);
    let left = host::allow_files(wanted);
    if left < connections.saturating_add(64) {
        tracing::warn!(
            "{left} open files are allowed, which may be too few for {connections} connections of each \
             listener: raise the limit, or lower --max-connections"
        );
    }
}
