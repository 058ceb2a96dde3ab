//! The cost of TLS and of a token per request on an open connection. `leafid serve` runs on one core,
//! the client on the other.
//!
//! `network PATH-TO-LEAFID`; `cargo xtask bench --only network` runs it with the published binary.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use leafid_benches::connection::{Asked, round};
use leafid_benches::rounds::{head, in_turns, row};
use leafid_benches::server::{Asks, Server};
use leafid_benches::{Outcome, cpu, program};

const CONNECTIONS: usize = 32;
const LENGTH: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    program("network", |words| match words {
        [binary] => run(Path::new(binary)),
        _ => Err("`network PATH-TO-LEAFID`".to_owned()),
    })
}

fn run(binary: &Path) -> Outcome {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let servers = cpu::beside(|| {
        let start = |name: &str, tls, tokens| {
            let asks = Asks { tls, tokens, leaf: false };
            Server::leafid(binary, &folder.path().join(name), asks).map(Arc::new)
        };
        Ok([
            ("neither", start("plain", false, false)?),
            ("a token", start("token", false, true)?),
            ("TLS and a token", start("both", true, true)?),
        ])
    })?;
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
