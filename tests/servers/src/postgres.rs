//! PostgreSQL.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;
use tempfile::TempDir;

use crate::process::{self, NOBODY, Process};
use crate::{Databases, Server, port};

/// A PostgreSQL server of one node. Whoever connects from this machine needs no password, unless a
/// test changes [`Postgres::host_rules`].
pub struct Postgres {
    folder: TempDir,
    port: u16,
    settings: Vec<String>,
    process: Option<Process>,
}

impl Postgres {
    /// The folder that it keeps its data in.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Who may connect from where and by what proof (`pg_hba.conf`), read at its next start.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn host_rules(&self, rules: &str) -> Result<(), String> {
        let file = self.data().join("pg_hba.conf");
        fs::write(&file, rules).map_err(|error| format!("`{}`: {error}", file.display()))
    }

    /// Has it start as a replica that follows nobody: it can be read, and nothing can be written.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn make_standby(&self) -> Result<(), String> {
        let file = self.data().join("standby.signal");
        fs::write(&file, "").map_err(|error| format!("`{}`: {error}", file.display()))?;
        own(&file)
    }

    fn program(name: &str) -> Option<PathBuf> {
        // Debian keeps one folder per version, and none of them in PATH; the newest is taken.
        let mut versions: Vec<_> = fs::read_dir("/usr/lib/postgresql")
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
            .collect();
        versions.sort_unstable();
        let newest = versions.last().map(|version| format!("/usr/lib/postgresql/{version}/bin"));
        process::find(name, &newest.as_deref().into_iter().collect::<Vec<_>>())
    }

    fn need(name: &str) -> Result<PathBuf, String> {
        Postgres::program(name).ok_or_else(|| format!("there is no `{name}`"))
    }

    fn launch(&mut self) -> Result<(), String> {
        let mut command = process::command(&Postgres::need("postgres")?, true);
        let folder = self.folder.path();
        command.arg("-D").arg(self.data()).args(["-h", "127.0.0.1", "-p"]);
        command.arg(self.port.to_string()).arg("-k").arg(folder).current_dir(folder);
        for setting in &self.settings {
            command.args(["-c", setting]);
        }
        let ready = Postgres::need("pg_isready")?;
        let mut process = Process::start(command, &folder.join("log"))?;
        let port = self.port.to_string();
        process.wait_until(|| {
            let mut asks = Command::new(&ready);
            asks.args(["-q", "-h", "127.0.0.1", "-U", "leafid", "-d", "postgres", "-p", &port]);
            process::run(asks).is_ok()
        })?;
        self.process = Some(process);
        Ok(())
    }
}

impl Server for Postgres {
    const NAME: &'static str = "PostgreSQL";
    const PACKAGE: &'static str = "postgresql";

    fn missing() -> Option<String> {
        let needed = ["initdb", "postgres", "pg_isready", "psql"];
        needed.into_iter().find(|name| Postgres::program(name).is_none()).map(str::to_owned)
    }

    fn start_with(settings: &[&str]) -> Result<Postgres, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        own(folder.path())?;
        let mut command = process::command(&Postgres::need("initdb")?, true);
        command.arg("-D").arg(folder.path().join("data")).current_dir(folder.path());
        command.args(["-U", "leafid", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]);
        process::run(command)?;
        let settings: Vec<_> = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let mut server = Postgres { folder, port: port::free()?, settings, process: None };
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
        format!("postgres://leafid@127.0.0.1:{}/postgres", self.port)
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
        // Not waiting for clients to go by themselves.
        self.process.take().map_or(Ok(()), |mut process| process.end(Signal::INT).map(|_| ()))
    }

    fn start_again_with(&mut self, settings: &[&str]) -> Result<(), String> {
        self.settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        self.launch()
    }

    fn start_again(&mut self) -> Result<(), String> {
        self.launch()
    }
}

impl Databases for Postgres {
    fn make_database(&self, name: &str) -> Result<String, String> {
        self.run("postgres", &format!("CREATE DATABASE {name}"))?;
        Ok(format!("postgres://leafid@127.0.0.1:{}/{name}", self.port))
    }

    fn run(&self, database: &str, sql: &str) -> Result<String, String> {
        let mut command = Command::new(Postgres::need("psql")?);
        command.args(["-X", "-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", "leafid"]);
        command.args(["-d", database, "-v", "ON_ERROR_STOP=1", "-qAtF", "\t", "-c", sql]);
        process::run(command)
    }
}

/// Gives a file to the user that the server runs as.
fn own(path: &Path) -> Result<(), String> {
    if !process::is_root() {
        return Ok(());
    }
    std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY))
        .map_err(|error| format!("`{}`: {error}", path.display()))
}
