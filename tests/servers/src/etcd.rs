//! Starts and stops real etcd members.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use leafid_stream::child::dies_with_us;
use leafid_stream::port::Port;

use crate::running::{Running, running};
use crate::{Clustered, Server, process};

/// A member of etcd: the only one, or one of several.
pub struct Etcd {
    running: Running,
    name: String,
    peer: Port,
    /// All members, as etcd's option names them.
    cluster: String,
    secure: bool,
}

impl Etcd {
    /// Starts a single member with TLS for clients; gives it and its certificate's file.
    pub fn secure() -> Result<(Etcd, PathBuf), String> {
        let mut server = Etcd::member(0)?;
        server.secure = true;
        let file = |name: &str| server.running.folder.path().join(name);
        let (certificate, key) = (file("cert.pem"), file("key.pem"));
        let mut command = Command::new("openssl");
        // Few clients accept the certificate that etcd makes itself (`--auto-tls`).
        command.args(["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=etcd"]);
        command.args(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
        command.args(["-addext", "subjectAltName=IP:127.0.0.1"]);
        command.args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"]);
        command.arg(&key).arg("-out").arg(&certificate);
        process::run(command)?;
        let named = |flag: &str, file: &Path| format!("{flag}={}", file.display());
        server.running.settings = vec![named("cert-file", &certificate), named("key-file", &key)];
        server.start_again()?;
        Ok((server, certificate))
    }

    /// Creates a member that is alone until it gets a list of others.
    fn member(number: usize) -> Result<Etcd, String> {
        let (running, peer) = (Running::nothing_yet()?, Port::take()?);
        let (name, cluster) = (format!("n{number}"), String::new());
        let mut member = Etcd { running, name, peer, cluster, secure: false };
        member.cluster = member.named();
        Ok(member)
    }

    /// Writes a snapshot by `etcdctl`.
    pub fn save(&self, to: &Path) -> Result<(), String> {
        let at = format!("http://127.0.0.1:{}", self.port());
        let mut command = etcdctl()?;
        command.args(["--endpoints", &at, "snapshot", "save"]).arg(to);
        process::run(command).map(drop)
    }

    /// Ends it, and starts it on new data that `etcdctl` makes of a snapshot.
    pub fn restore(&mut self, from: &Path) -> Result<(), String> {
        self.crash();
        fs::remove_dir_all(self.data()).map_err(|error| error.to_string())?;
        let mut command = etcdctl()?;
        command.args(["snapshot", "restore"]).arg(from).arg("--data-dir").arg(self.data());
        command.args(["--name", &self.name, "--initial-cluster", &self.cluster]);
        let peer = format!("http://127.0.0.1:{}", self.peer.number());
        command.args(["--initial-advertise-peer-urls", &peer]);
        process::run(command)?;
        self.start_again()
    }

    fn named(&self) -> String {
        format!("{}=http://127.0.0.1:{}", self.name, self.peer.number())
    }
}

fn etcdctl() -> Result<Command, String> {
    let mut command = dies_with_us(&Etcd::find("etcdctl")?);
    // Version 3.4 has two of them.
    command.env("ETCDCTL_API", "3");
    Ok(command)
}

impl Clustered for Etcd {
    fn cluster() -> Result<Vec<Etcd>, String> {
        let mut members = (0..3).map(Etcd::member).collect::<Result<Vec<_>, _>>()?;
        let all: Vec<String> = members.iter().map(Etcd::named).collect();
        for member in &mut members {
            member.cluster = all.join(",");
            member.spawn()?;
        }
        members.iter_mut().try_for_each(Etcd::wait)?;
        Ok(members)
    }
}

impl Server for Etcd {
    const NAME: &'static str = "etcd";
    const PACKAGE: &'static str = "etcd-server etcd-client";
    const NEEDS: &'static [&'static str] = &["etcd", "etcdctl"];
    const FOLDERS: &'static [&'static str] = &["/usr/bin"];

    fn make() -> Result<Etcd, String> {
        Etcd::member(0)
    }

    running!();

    fn command(&self) -> Result<Command, String> {
        let mut command = dies_with_us(&Etcd::find("etcd")?);
        let folder = self.running.folder.path();
        command.current_dir(folder).args(["--name", &self.name, "--data-dir"]);
        command.arg(folder.join("data"));
        let scheme = if self.secure { "https" } else { "http" };
        let client = format!("{scheme}://127.0.0.1:{}", self.port());
        let peer = format!("http://127.0.0.1:{}", self.peer.number());
        command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
        command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
        command.args(["--initial-cluster", &self.cluster, "--logger", "zap"]);
        command.args(self.running.settings.iter().map(|setting| format!("--{setting}")));
        Ok(command)
    }

    fn answers(&self, said: &str) -> bool {
        if self.secure {
            return said.contains("securely");
        }
        process::says(self.port(), "GET /health HTTP/1.0\r\n\r\n", "\"true\"")
    }

    fn url(&self) -> String {
        let scheme = if self.secure { "etcds" } else { "etcd" };
        format!("{scheme}://127.0.0.1:{}/leafid", self.port())
    }
}
