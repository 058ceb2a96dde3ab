//! The servers, each a process of its own on the first core.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use leafid_stream::child::{Child, dies_with_us};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::{Outcome, cpu};

/// How long a server may take to say where it listens.
const LIMIT: Duration = Duration::from_secs(20);
/// The tag that is asked for.
pub const TAG: &str = "bench";

/// A running server, and what its clients need.
pub struct Server {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
    /// What clients show, where it asks for tokens.
    pub token: Option<String>,
    /// What clients greet it with, where it speaks TLS.
    pub tls: Option<TlsConnector>,
}

/// What a server asks of its callers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asks {
    /// Whether it speaks TLS.
    pub tls: bool,
    /// Whether it asks for a token.
    pub tokens: bool,
}

impl Server {
    /// Starts `leafid serve` on a file of its own in this folder, with a tag, on the first core; what
    /// runs after this loads the other.
    pub fn start(binary: &Path, folder: &Path, name: &str, asks: Asks) -> Outcome<Server> {
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let store = format!("sqlite:{}", folder.join("leafid.db").display());
        let run = |words: &[&str]| {
            let mut command = Command::new(binary);
            command.args(words).current_dir(&folder).env("LEAFID_STORE", &store);
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
        command.current_dir(&folder).env("LEAFID_STORE", &store);
        command.args(["serve", "--listen", "127.0.0.1:0", "--max-connections", "15000"]);
        command.args(["--journal", "."]);
        let mut token = None;
        if asks.tokens {
            token = Some(run(&["token", "create", "bench", "--tokens", "tokens.toml"])?);
            command.args(["--tokens", "tokens.toml"]);
        }
        let mut tls = None;
        if asks.tls {
            tls = Some(certify(&folder).map_err(|error| format!("no certificate: {error}"))?);
            command.args(["--tls-cert", "cert.pem", "--tls-key", "key.pem"]);
        }
        cpu::pin(0);
        let started = listen(command);
        cpu::pin(1);
        let (child, address) = started?;
        Ok(Server { child, address, token, tls })
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Memory of its own that it has in use, in bytes.
    pub fn resident(&self) -> Outcome<u64> {
        let path = format!("/proc/{}/status", self.id());
        let text = std::fs::read_to_string(&path).map_err(|error| format!("`{path}`: {error}"))?;
        let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kb = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        kb.map(|kb| kb * 1_024).ok_or_else(|| format!("`{path}` has no RssAnon"))
    }
}

fn listen(command: Command) -> Outcome<(Child, SocketAddr)> {
    let (send, heard) = channel();
    let told = move |line: Option<String>| {
        let line = line.unwrap_or_default();
        if let Some((_, address)) = line.split_once("leafid: listening on ") {
            let bare = address.split_once("://").map_or(address, |(_, bare)| bare);
            drop(send.send(bare.to_owned()));
        }
    };
    let child = Child::start("leafid", command, told);
    let child = child.map_err(|error| format!("leafid does not start: {error}"))?;
    let said = heard.recv_timeout(LIMIT).unwrap_or_default();
    let address = said.parse();
    let address = address.map_err(|_| format!("leafid said `{said}`\n{}", child.stderr()))?;
    Ok((child, address))
}

/// A certificate of an authority that clients believe, both made for this run.
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

/// Has this process open as many connections as the largest part of the bench wants.
pub fn allow_descriptors() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
        let wanted = maximum.map_or(32_768, |most| most.min(32_768));
        // Where it may not, a connection will say so.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}
