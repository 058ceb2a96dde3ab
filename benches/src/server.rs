//! Servers in processes of their own, so that their CPU time can be measured apart.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::Duration;

use axum::Router;
use leafid_stream::child::{Child, dies_with_us};

use crate::Outcome;

const LIMIT: Duration = Duration::from_secs(20);
/// The tag of all requests.
pub const TAG: &str = "bench";

/// A running server, which ends when this is dropped.
pub struct Server {
    _child: Child,
    /// The id of its process.
    pub process: u32,
    /// Its address.
    pub address: SocketAddr,
}

impl Server {
    /// Starts this program again as the bare server.
    pub fn bare() -> Outcome<Server> {
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = dies_with_us(&this);
        command.arg("--bare");
        Server::start("the bare server", command, "")
    }

    /// Starts `leafid serve` with a tag, on a file of its own in this folder; with `leaf`, its address
    /// is that of Leaf's paths.
    pub fn leafid(binary: &Path, folder: &Path, leaf: bool) -> Outcome<Server> {
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        let store = format!("sqlite:{}", folder.join("leafid.db").display());
        let verbs: [&[&str]; 2] = [&["init"], &["tag", "create", TAG]];
        for words in verbs {
            let mut command = Command::new(binary);
            command.args(words).env("LEAFID_STORE", &store).env("LEAFID_JOURNAL", folder);
            let said = command.output();
            let said = said.map_err(|error| format!("`{}`: {error}", binary.display()))?;
            if !said.status.success() {
                return Err(String::from_utf8_lossy(&said.stderr).into_owned());
            }
        }
        let mut command = dies_with_us(binary);
        command.env("LEAFID_STORE", &store).env("LEAFID_JOURNAL", folder);
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        if !leaf {
            return Server::start("leafid", command, "leafid: listening on ");
        }
        command.args(["--listen-leaf", "127.0.0.1:0"]);
        Server::start("leafid", command, "leafid: Leaf's paths are at ")
    }

    /// The value of a metric of `leafid serve`, summed over its labels.
    pub fn metric(&self, name: &str) -> Outcome<f64> {
        let mut answer = String::new();
        let request =
            format!("GET /metrics HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.address);
        let asked = TcpStream::connect(self.address).and_then(|mut stream| {
            stream.write_all(request.as_bytes())?;
            stream.read_to_string(&mut answer)
        });
        asked.map_err(|error| format!("`/metrics`: {error}"))?;
        let own = answer.lines().filter(|line| line.split(['{', ' ']).next() == Some(name));
        let values = own.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
        values.reduce(|sum, value| sum + value).ok_or_else(|| format!("`/metrics` has no {name}"))
    }

    /// Starts a server that prints its address after `words`.
    fn start(name: &str, command: Command, words: &'static str) -> Outcome<Server> {
        let (send, heard) = channel();
        let told = move |line: Option<String>| {
            if let Some(url) = line.as_deref().and_then(|line| line.strip_prefix(words)) {
                let address = url.split_once("://").map_or(url, |(_, address)| address);
                drop(send.send(address.to_owned()));
            }
        };
        let child = Child::start(name, command, told);
        let child = child.map_err(|error| format!("{name} does not start: {error}"))?;
        let said = heard.recv_timeout(LIMIT).unwrap_or_default();
        let address = said.parse();
        let address = address.map_err(|_| format!("{name} said `{said}`\n{}", child.stderr()))?;
        let process = child.id();
        Ok(Server { _child: child, process, address })
    }
}

/// Runs the bare server: prints its address, and serves until it is killed.
pub fn serve_bare(routes: Router) -> Outcome {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        println!("{}", listener.local_addr()?);
        axum::serve(listener, routes).await
    });
    served.map_err(|error| error.to_string())
}
