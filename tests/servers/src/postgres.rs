//! Starts and stops a real PostgreSQL.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;

use crate::process::{self, NOBODY};
use crate::running::{Kind, Running, running};
use crate::{Databases, Server};

/// A PostgreSQL server of one node. Connections from this machine need no password, unless a test
/// changes [`Postgres::host_rules`].
pub struct Postgres {
    running: Running,
}

impl Postgres {
    /// Sets the rules of client authentication (`pg_hba.conf`), read at its next start.
    pub fn host_rules(&self, rules: &str) -> Result<(), String> {
        let file = self.data().join("pg_hba.conf");
        fs::write(&file, rules).map_err(|error| format!("`{}`: {error}", file.display()))
    }

    /// Writes a file that only the server can read, a certificate or a key, into its data folder.
    pub fn put(&self, name: &str, text: &str) -> Result<(), String> {
        use std::os::unix::fs::PermissionsExt;
        let file = self.data().join(name);
        let written = fs::write(&file, text)
            .and_then(|()| fs::set_permissions(&file, fs::Permissions::from_mode(0o600)));
        written.map_err(|error| format!("`{}`: {error}", file.display()))?;
        own(&file)
    }

    /// Makes it start as a standby that follows no primary: it is read-only.
    pub fn make_standby(&self) -> Result<(), String> {
        let file = self.data().join("standby.signal");
        fs::write(&file, "").map_err(|error| format!("`{}`: {error}", file.display()))?;
        own(&file)
    }

    fn program(name: &str) -> Option<PathBuf> {
        // Debian has one folder per version, none of them in PATH; the newest is used.
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
}

impl Kind for Postgres {
    /// A fast shutdown, which does not wait for clients to disconnect.
    const END: Signal = Signal::INT;

    fn make() -> Result<Postgres, String> {
        let server = Postgres { running: Running::nothing_yet()? };
        let folder = server.running.folder();
        own(folder)?;
        let mut command = process::as_nobody(&Postgres::need("initdb")?);
        command.arg("-D").arg(server.data()).current_dir(folder);
        command.args(["-U", "leafid", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]);
        process::run(command)?;
        Ok(server)
    }

    running!();

    fn command(&self) -> Result<Command, String> {
        let mut command = process::as_nobody(&Postgres::need("postgres")?);
        let folder = self.running.folder();
        command.arg("-D").arg(self.data()).args(["-h", "127.0.0.1", "-p"]);
        command.arg(self.port().to_string()).arg("-k").arg(folder).current_dir(folder);
        for setting in &self.running.settings {
            command.args(["-c", setting]);
        }
        Ok(command)
    }

    fn answers(&self, _: &str) -> bool {
        let Ok(program) = Postgres::need("pg_isready") else { return false };
        let mut command = Command::new(program);
        command.args(["-q", "-h", "127.0.0.1", "-U", "leafid", "-d", "postgres", "-p"]);
        command.arg(self.port().to_string());
        process::run(command).is_ok()
    }
}

impl Server for Postgres {
    const NAME: &'static str = "PostgreSQL";
    const PACKAGE: &'static str = "postgresql";

    fn missing() -> Option<String> {
        let needed = ["initdb", "postgres", "pg_isready", "psql"];
        needed.into_iter().find(|name| Postgres::program(name).is_none()).map(str::to_owned)
    }

    fn url(&self) -> String {
        format!("postgres://leafid@127.0.0.1:{}/postgres", self.port())
    }

    fn fresh(&self, name: &str) -> String {
        self.make_database(name).expect("a database")
    }
}

impl Databases for Postgres {
    fn make_database(&self, name: &str) -> Result<String, String> {
        self.run("postgres", &format!("CREATE DATABASE {name}"))?;
        Ok(format!("postgres://leafid@127.0.0.1:{}/{name}", self.port()))
    }

    fn run(&self, database: &str, sql: &str) -> Result<String, String> {
        let mut command = Command::new(Postgres::need("psql")?);
        command.args(["-X", "-h", "127.0.0.1", "-p", &self.port().to_string(), "-U", "leafid"]);
        command.args(["-d", database, "-v", "ON_ERROR_STOP=1", "-qAtF", "\t", "-c", sql]);
        process::run(command)
    }
}

/// Makes the server's user the owner of a file.
fn own(path: &Path) -> Result<(), String> {
    if !process::is_root() {
        return Ok(());
    }
    std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY))
        .map_err(|error| format!("`{}`: {error}", path.display()))
}
