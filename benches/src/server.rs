//! Servers in processes of their own, so that their CPU time and memory can be measured apart.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use axum::Router;
use leafid_stream::child::{Child, dies_with_us};
use leafid_stream::store::Store;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::Outcome;

const LIMIT: Duration = Duration::from_secs(20);
/// The tag of all requests.
pub const TAG: &str = "bench";

/// A running server, and how its clients reach it.
pub struct Server {
    /// The process to end on drop; `None` for a server that its starter ends.
    child: Option<Child>,
    /// The id of its process.
    pub process: u32,
    /// Its address.
    pub address: SocketAddr,
    /// The clients' token, if it requires one.
    pub token: Option<String>,
    /// The clients' TLS connector, if it speaks TLS.
    pub tls: Option<TlsConnector>,
}

/// Options of a server.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asks {
    /// Speaks TLS.
    pub tls: bool,
    /// Requires a token.
    pub tokens: bool,
    /// Serves Leaf's paths, at its address.
    pub leaf: bool,
}

impl Server {
    /// Starts this program again as the bare server.
    pub fn bare() -> Outcome<Server> {
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = dies_with_us(&this);
        command.arg("--bare");
        Server::start("the bare server", command, "")
    }

    /// Starts `leafid serve` with a tag, on a file of its own in this folder.
    pub fn leafid(binary: &Path, folder: &Path, asks: Asks) -> Outcome<Server> {
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        let store = format!("sqlite:{}", folder.join("leafid.db").display());
        let run = |words: &[&str]| {
            let mut command = Command::new(binary);
            command.args(words).current_dir(folder).env("LEAFID_STORE", &store);
            let said = command.output();
            let said = said.map_err(|error| format!("`{}`: {error}", binary.display()))?;
            match said.status.success() {
                true => Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned()),
                false => Err(String::from_utf8_lossy(&said.stderr).into_owned()),
            }
        };
        run(&["init"])?;
        run(&["tag", "create", TAG])?;
        let mut command = dies_with_us(binary);
        command.current_dir(folder).env("LEAFID_STORE", &store);
        command.args(["serve", "--listen", "127.0.0.1:0", "--journal", "."]);
        let (mut token, mut tls) = (None, None);
        if asks.tokens {
            token = Some(run(&["token", "create", "bench", "--tokens", "tokens.toml"])?);
            command.args(["--tokens", "tokens.toml"]);
        }
        if asks.tls {
            tls = Some(certify(folder).map_err(|error| format!("no certificate: {error}"))?);
            command.args(["--tls-cert", "cert.pem", "--tls-key", "key.pem"]);
        }
        let words = match asks.leaf {
            true => {
                command.args(["--listen-leaf", "127.0.0.1:0"]);
                "leafid: Leaf's paths are at "
            }
            false => "leafid: listening on ",
        };
        Ok(Server { token, tls, ..Server::start("leafid", command, words)? })
    }

    /// A server over a store that its starter ends.
    pub fn of(store: &Store) -> Server {
        let (process, address) = (store.id(), store.address());
        Server { child: None, process, address, token: None, tls: None }
    }

    /// Starts a server that prints its address after `words`.
    pub fn start(name: &str, command: Command, words: &'static str) -> Outcome<Server> {
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
        Ok(Server { child: Some(child), process, address, token: None, tls: None })
    }

    /// Its resident memory, in KB.
    pub fn resident_kb(&self) -> Outcome<f64> {
        let path = format!("/proc/{}/status", self.process);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("`{path}`: {error}"))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kb = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
        kb.ok_or_else(|| format!("`{path}` does not say how much memory it has"))
    }

    /// Its standard error so far.
    pub fn stderr(&self) -> String {
        self.child.as_ref().map(Child::stderr).unwrap_or_default()
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

/// Writes a certificate of a new authority; returns a connector that trusts it.
fn certify(folder: &Path) -> Result<TlsConnector, Box<dyn std::error::Error>> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
    let key = KeyPair::generate()?;
    let own = CertificateParams::new(vec!["127.0.0.1".to_owned()])?.signed_by(&key, &issuer)?;
    std::fs::write(folder.join("cert.pem"), own.pem())?;
    std::fs::write(folder.join("key.pem"), key.serialize_pem())?;
    let mut roots = RootCertStore::empty();
    roots.add(issuer.der().clone())?;
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
