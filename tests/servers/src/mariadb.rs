//! MariaDB, which stands for MySQL too.

use std::fs;
use std::io::Read;
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;
use tempfile::TempDir;

use crate::process::{self, Process};
use crate::{Databases, Server, port};

/// A MariaDB server of one node. Its user `root` has no password, and every right.
pub struct Mariadb {
    folder: TempDir,
    port: u16,
    settings: Vec<String>,
    process: Option<Process>,
}

/// Debian has the server where only root's PATH leads.
const FOLDERS: &[&str] = &["/usr/sbin"];

impl Mariadb {
    fn need(name: &str) -> Result<PathBuf, String> {
        process::find(name, FOLDERS).ok_or_else(|| format!("there is no `{name}`"))
    }

    fn launch(&mut self) -> Result<(), String> {
        let folder = self.folder.path();
        let mut command = process::command(&Mariadb::need("mariadbd")?, false);
        command.args(["--no-defaults", "--bind-address=127.0.0.1", "--skip-name-resolve"]);
        command.arg(format!("--user={}", user()?));
        command.arg(format!("--datadir={}", folder.join("data").display()));
        command.arg(format!("--socket={}", folder.join("s.sock").display()));
        command.arg(format!("--init-file={}", folder.join("init.sql").display()));
        command.arg(format!("--port={}", self.port)).current_dir(folder);
        command.env("TMPDIR", folder);
        command.args(self.settings.iter().map(|setting| format!("--{setting}")));
        let mut process = Process::start(command, &folder.join("log"))?;
        process.wait_until(|| greets(self.port))?;
        self.process = Some(process);
        Ok(())
    }
}

impl Server for Mariadb {
    const NAME: &'static str = "MariaDB";
    const PACKAGE: &'static str = "mariadb-server";

    fn missing() -> Option<String> {
        let needed = ["mariadbd", "mariadb-install-db", "mariadb"];
        needed.into_iter().find(|name| Mariadb::need(name).is_err()).map(str::to_owned)
    }

    fn start_with(settings: &[&str]) -> Result<Mariadb, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut command = Command::new(Mariadb::need("mariadb-install-db")?);
        command.args(["--no-defaults", "--auth-root-authentication-method=normal"]);
        command.arg("--skip-test-db").arg(format!("--user={}", user()?));
        command.arg(format!("--datadir={}", folder.path().join("data").display()));
        // Two installations at once would meet in the common folder for temporary tables.
        command.env("TMPDIR", folder.path());
        process::run(command)?;
        // Done at every start, before anybody can connect.
        let init = "CREATE DATABASE IF NOT EXISTS leafid;\n";
        fs::write(folder.path().join("init.sql"), init).map_err(|error| error.to_string())?;
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let mut server = Mariadb { folder, port: port::free()?, settings, process: None };
        while let Err(said) = server.launch() {
            // Another process took the port since it was found free: there are more.
            if !said.contains("Address already in use") {
                return Err(said);
            }
            server.port = port::free()?;
        }
        Ok(server)
    }

    fn url(&self) -> String {
        format!("mysql://root@127.0.0.1:{}/leafid", self.port)
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

impl Databases for Mariadb {
    fn make_database(&self, name: &str) -> Result<String, String> {
        self.run("leafid", &format!("CREATE DATABASE {name}"))?;
        Ok(format!("mysql://root@127.0.0.1:{}/{name}", self.port))
    }

    fn run(&self, database: &str, sql: &str) -> Result<String, String> {
        let mut command = Command::new(Mariadb::need("mariadb")?);
        command.args(["--no-defaults", "-h127.0.0.1", "-uroot", "-N", "-B", "-e", sql, database]);
        command.arg(format!("-P{}", self.port));
        process::run(command)
    }
}

/// Whether a server says hello: version 10 of its protocol.
fn greets(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { return false };
    let mut head = [0; 5];
    stream.set_read_timeout(Some(Duration::from_secs(5))).is_ok()
        && stream.read_exact(&mut head).is_ok()
        && head[4] == 10
}

/// Whom the server runs as: by default it would be a user that only its package makes.
fn user() -> Result<String, String> {
    let output = Command::new("id").arg("-un").output().map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
