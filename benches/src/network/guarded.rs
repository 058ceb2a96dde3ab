//! What TLS and a token cost a request on a connection that is kept.

use std::path::Path;
use std::sync::Arc;

use leafid_benches::Outcome;
use leafid_benches::connection::{Asked, round};
use leafid_benches::rounds::{head, in_turns, row};
use leafid_benches::server::Asks;

use crate::{LENGTH, start};

const CONNECTIONS: usize = 32;

pub fn run(binary: &Path, folder: &Path) -> Outcome {
    let start = |name: &str, tls, tokens| {
        start(binary, &folder.join(name), Asks { tls, tokens, leaf: false }).map(Arc::new)
    };
    let servers = [
        ("neither", start("plain", false, false)?),
        ("a token", start("token", false, true)?),
        ("TLS and a token", start("both", true, true)?),
    ];
    let paths = [("`…/ids`", Asked::Ids), ("`…/lease`", Asked::Lease)];
    let kinds: Vec<_> =
        paths.iter().flat_map(|path| servers.iter().map(move |server| (path, server))).collect();
    let rounds =
        in_turns(&kinds, |((_, asked), (_, server))| round(server, *asked, CONNECTIONS, LENGTH))?;
    head(&format!("{CONNECTIONS} connections that are kept"), "neither");
    for (at, ((path, _), (with, _))) in kinds.iter().enumerate() {
        row(&format!("{path}, {with}"), &rounds[at], &rounds[at / servers.len() * servers.len()]);
    }
    Ok(())
}
