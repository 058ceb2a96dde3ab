//! etcd.

use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;
use tempfile::TempDir;

use crate::process::{self, Process};
use crate::{Server, port};

/// A member of etcd: the only one, or one of several.
pub struct Etcd {
    folder: TempDir,
    name: String,
    port: u16,
    peer: u16,
    /// All members, as etcd is told of them.
    cluster: String,
    settings: Vec<String>,
    secure: bool,
    process: Option<Process>,
}

impl Etcd {
    /// Members of one cluster, each with a folder of its own.
    ///
    /// # Errors
    /// One does not start.
    pub fn cluster(count: usize) -> Result<Vec<Etcd>, String> {
        let mut members = Vec::new();
        for number in 0..count {
            members.push(Etcd::member(number)?);
        }
        let all: Vec<String> = members.iter().map(Etcd::named).collect();
        for member in &mut members {
            member.cluster = all.join(",");
            member.spawn()?;
        }
        for member in &mut members {
            member.wait()?;
        }
        Ok(members)
    }

    /// The only member, which its clients speak TLS with, and the file with its certificate.
    ///
    /// # Errors
    /// It does not start.
    pub fn secure() -> Result<(Etcd, PathBuf), String> {
        let mut server = Etcd::member(0)?;
        server.secure = true;
        let file = |name: &str| server.folder.path().join(name);
        let (certificate, key) = (file("cert.pem"), file("key.pem"));
        let mut command = Command::new("openssl");
        // Its own (`--auto-tls`) is of a kind that few clients take.
        command.args(["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=etcd"]);
        command.args(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
        command.args(["-addext", "subjectAltName=IP:127.0.0.1"]);
        command.args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"]);
        command.arg(&key).arg("-out").arg(&certificate);
        process::run(command)?;
        let named = |flag: &str, file: &Path| format!("{flag}={}", file.display());
        server.settings = vec![named("cert-file", &certificate), named("key-file", &key)];
        server.cluster = server.named();
        server.launch()?;
        Ok((server, certificate))
    }

    /// Where an empty place in a cluster is.
    pub fn url_of(members: &[Etcd]) -> String {
        let hosts: Vec<String> =
            members.iter().map(|member| format!("127.0.0.1:{}", member.port)).collect();
        format!("etcd://{}/leafid", hosts.join(","))
    }

    fn member(number: usize) -> Result<Etcd, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (port, peer) = (port::free()?, port::free()?);
        let name = format!("n{number}");
        let (cluster, settings, secure) = Default::default();
        Ok(Etcd { folder, name, port, peer, cluster, settings, secure, process: None })
    }

    fn named(&self) -> String {
        format!("{}=http://127.0.0.1:{}", self.name, self.peer)
    }

    fn program() -> Result<PathBuf, String> {
        process::find("etcd", &["/usr/bin"]).ok_or_else(|| "etcd".to_owned())
    }

    fn spawn(&mut self) -> Result<(), String> {
        let mut command = process::command(&Etcd::program()?, false);
        let folder = self.folder.path();
        command.current_dir(folder).args(["--name", &self.name, "--data-dir"]);
        command.arg(folder.join("data"));
        let scheme = if self.secure { "https" } else { "http" };
        let client = format!("{scheme}://127.0.0.1:{}", self.port);
        let peer = format!("http://127.0.0.1:{}", self.peer);
        command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
        command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
        command.args(["--initial-cluster", &self.cluster, "--logger", "zap"]);
        for setting in &self.settings {
            command.arg(format!("--{setting}"));
        }
        self.process = Some(Process::start(command, &folder.join("log"))?);
        Ok(())
    }

    fn wait(&mut self) -> Result<(), String> {
        let port = self.port;
        let process = self.process.as_mut().ok_or("it was not started")?;
        if self.secure {
            let log = self.folder.path().join("log");
            let serves = || std::fs::read_to_string(&log).is_ok_and(|log| log.contains("securely"));
            return process.wait_until(serves);
        }
        process.wait_until(|| port::says(port, "GET /health HTTP/1.0\r\n\r\n", "\"true\""))
    }

    fn launch(&mut self) -> Result<(), String> {
        self.spawn()?;
        let waited = self.wait();
        if waited.is_err() {
            self.process = None;
        }
        waited
    }
}

impl Server for Etcd {
    const NAME: &'static str = "etcd";
    const PACKAGE: &'static str = "etcd-server";

    fn missing() -> Option<String> {
        Etcd::program().err()
    }

    fn start_with(settings: &[&str]) -> Result<Etcd, String> {
        let mut server = Etcd::member(0)?;
        server.settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        server.cluster = server.named();
        while let Err(said) = server.launch() {
            // Another process took the port since it was found free: there are more.
            if !said.contains("address already in use") {
                return Err(said);
            }
            (server.port, server.peer) = (port::free()?, port::free()?);
            server.cluster = server.named();
        }
        Ok(server)
    }

    fn url(&self) -> String {
        let scheme = if self.secure { "etcds" } else { "etcd" };
        format!("{scheme}://127.0.0.1:{}/leafid", self.port)
    }

    fn port(&self) -> u16 {
        self.port
    }

    fn crash(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill();
        }
    }

    fn stop(&mut self) -> Result<(), String> {
        self.process.take().map_or(Ok(()), |mut process| process.end(Signal::TERM).map(|_| ()))
    }

    fn start_again_with(&mut self, settings: &[&str]) -> Result<(), String> {
        self.settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        self.launch()
    }

    fn start_again(&mut self) -> Result<(), String> {
        self.launch()
    }
}
