//! The two servers, each a process of its own, so that their time and memory can be told from ours.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use leafid_stream::child::{Child, dies_with_us};

use crate::Outcome;

/// How long a server may take to say where it listens.
const LIMIT: Duration = Duration::from_secs(20);

/// A running server.
pub struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    /// Starts this program once more, as the bare server.
    pub fn bare() -> Outcome<Server> {
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = dies_with_us(&this);
        command.arg("--bare");
        Server::start("the bare server", command, "")
    }

    /// Starts `leafid serve` on a file in this folder, with the tag `bench`.
    pub fn leafid(binary: &Path, folder: &Path) -> Outcome<Server> {
        let store = format!("sqlite:{}", folder.join("leafid.db").display());
        for words in [&["init"][..], &["tag", "create", "bench"]] {
            let made = Command::new(binary).args(words).env("LEAFID_STORE", &store).output();
            let made = made.map_err(|error| format!("`{}`: {error}", binary.display()))?;
            if !made.status.success() {
                return Err(String::from_utf8_lossy(&made.stderr).into_owned());
            }
        }
        let mut command = dies_with_us(binary);
        command.env("LEAFID_STORE", store).args(["serve", "--listen", "127.0.0.1:0"]);
        command.arg("--journal").arg(folder);
        command.args(["--listen-leaf", "127.0.0.1:0"]);
        Server::start("leafid", command, "leafid: Leaf's paths are at http://")
    }

    /// Starts a server that says its address in a line behind these words.
    fn start(name: &str, command: Command, words: &'static str) -> Outcome<Server> {
        let (send, heard) = channel();
        let told = move |line: Option<String>| {
            let address = line.as_deref().and_then(|line| line.strip_prefix(words));
            if let Some(address) = address {
                drop(send.send(address.to_owned()));
            }
        };
        let child = Child::start(name, command, told);
        let child = child.map_err(|error| format!("{name} does not start: {error}"))?;
        let said = heard.recv_timeout(LIMIT).unwrap_or_default();
        let address = said.parse();
        let address = address.map_err(|_| format!("{name} said `{said}`\n{}", child.stderr()))?;
        Ok(Server { child, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How much memory of its own and of its program it has in use.
    pub fn resident_mb(&self) -> Outcome<f64> {
        let path = format!("/proc/{}/status", self.id());
        let text = std::fs::read_to_string(&path).map_err(|error| format!("`{path}`: {error}"))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kb = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
        Ok(kb.ok_or_else(|| format!("`{path}` has no VmRSS"))? / 1_024.0)
    }
}

/// The bare server itself: says where it listens, and serves until it is killed.
pub fn bare() -> Outcome {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        println!("{}", listener.local_addr()?);
        let last = Arc::new(AtomicU64::new(1_000_000));
        axum::serve(listener, Router::new().route("/id", get(id)).with_state(last)).await
    });
    served.map_err(|error| error.to_string())
}

async fn id(State(last): State<Arc<AtomicU64>>) -> String {
    last.fetch_add(1, Ordering::Relaxed).to_string()
}
