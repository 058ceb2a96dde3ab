//! Starts and stops a real PostgreSQL.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use rustix::process::Signal;

use crate::process::{self, NOBODY};
use crate::running::{Running, running};
use crate::{Databases, Server};

/// A PostgreSQL server of one node. Connections from this machine need no password, unless a test
/// changes [`Postgres::host_rules`].
pub struct Postgres {
    running: Running,
}

impl Postgres {
    /// Sets the rules of client authentication (`pg_hba.conf`), read at its next start.
    pub fn host_rules(&self, rules: &str) -> io::Result<()> {
        fs::write(self.data().join("pg_hba.conf"), rules)
    }

    /// Writes a file that only the server can read, a certificate or a key, into its data folder.
    pub fn put(&self, name: &str, text: &str) -> io::Result<()> {
        let file = self.data().join(name);
        fs::write(&file, text)?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600))?;
        own(&file)
    }

    /// A base backup, with the log that it needs.
    pub fn base_backup(&self, to: &Path) -> Result<(), String> {
        self.backed_up(to, &[])
    }

    fn backed_up(&self, to: &Path, more: &[&str]) -> Result<(), String> {
        if to.exists() {
            fs::remove_dir_all(to).map_err(|error| error.to_string())?;
        }
        let mut command = process::as_nobody(&Postgres::find("pg_basebackup")?);
        command.arg("-D").arg(to).args(["-h", "127.0.0.1", "-p", &self.port().to_string()]);
        command.args(["-U", "leafid", "-c", "fast", "-X", "stream", "--no-sync"]).args(more);
        command.current_dir(self.running.folder.path());
        process::run(command).map(drop)
    }

    /// A path in a folder of its own, in which it may write.
    pub fn at(&self, name: &str) -> PathBuf {
        self.running.folder.path().join(name)
    }

    /// Waits until it can be written to.
    pub fn leads(&self) -> Result<(), String> {
        let sql = "SELECT pg_is_in_recovery()";
        process::until(|| self.run("postgres", sql).is_ok_and(|told| told == "f"))
    }

    fn replayed(&self, position: &str) -> bool {
        let sql = format!("SELECT pg_last_wal_replay_lsn() >= '{position}'");
        self.run("postgres", &sql).is_ok_and(|told| told == "t")
    }

    /// Makes it start as a standby that follows no primary: it is read-only.
    pub fn make_standby(&self) -> io::Result<()> {
        self.put("standby.signal", "")
    }
}

impl Server for Postgres {
    const NAME: &'static str = "PostgreSQL";
    const PACKAGE: &'static str = "postgresql";
    const NEEDS: &'static [&'static str] = &["initdb", "postgres", "pg_isready", "psql"];
    const FOLDERS: &'static [&'static str] = &[];
    /// A fast shutdown, which does not wait for clients to disconnect.
    const END: Signal = Signal::INT;

    fn make() -> Result<Postgres, String> {
        let server = Postgres { running: Running::nothing_yet()? };
        let folder = server.running.folder.path();
        own(folder).map_err(|error| error.to_string())?;
        let mut command = process::as_nobody(&Postgres::find("initdb")?);
        command.arg("-D").arg(server.data()).current_dir(folder);
        command.args(["-U", "leafid", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]);
        process::run(command)?;
        Ok(server)
    }

    running!();

    fn command(&self) -> Result<Command, String> {
        let mut command = process::as_nobody(&Postgres::find("postgres")?);
        let folder = self.running.folder.path();
        command.arg("-D").arg(self.data()).args(["-h", "127.0.0.1", "-p"]);
        command.arg(self.port().to_string()).arg("-k").arg(folder).current_dir(folder);
        for setting in &self.running.settings {
            command.args(["-c", setting]);
        }
        Ok(command)
    }

    fn answers(&self, _: &str) -> bool {
        let Ok(program) = Postgres::find("pg_isready") else { return false };
        let mut command = Command::new(program);
        command.args(["-q", "-h", "127.0.0.1", "-U", "leafid", "-d", "postgres", "-p"]);
        command.arg(self.port().to_string());
        process::run(command).is_ok()
    }

    fn find(name: &str) -> Result<PathBuf, String> {
        // Debian has one folder per version, none of them in PATH; the newest is used.
        let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
        let newest = versions.filter_map(number).max().unwrap_or_default();
        process::find(name, &[&format!("/usr/lib/postgresql/{newest}/bin")])
            .ok_or_else(|| format!("there is no `{name}`"))
    }

    fn url(&self) -> String {
        format!("postgres://leafid@127.0.0.1:{}/postgres", self.port())
    }

    fn fresh(&self, name: &str) -> String {
        self.run("postgres", &format!("CREATE DATABASE {name}")).expect("a database");
        format!("postgres://leafid@127.0.0.1:{}/{name}", self.port())
    }
}

impl Databases for Postgres {
    fn run(&self, database: &str, sql: &str) -> Result<String, String> {
        let mut command = Command::new(Postgres::find("psql")?);
        command.args(["-X", "-h", "127.0.0.1", "-p", &self.port().to_string(), "-U", "leafid"]);
        command.args(["-d", database, "-v", "ON_ERROR_STOP=1", "-qAtF", "\t", "-c", sql]);
        process::run(command)
    }

    fn dump(&self, database: &str, to: &Path) -> Result<(), String> {
        let mut command = Command::new(Postgres::find("pg_dump")?);
        command.args(["-h", "127.0.0.1", "-p", &self.port().to_string(), "-U", "leafid"]);
        command.args(["-d", database, "--schema=leafid", "--clean", "--if-exists", "-f"]).arg(to);
        process::run(command).map(drop)
    }

    fn load(&self, database: &str, from: &Path) -> Result<(), String> {
        let mut command = Command::new(Postgres::find("psql")?);
        command.args(["-X", "-h", "127.0.0.1", "-p", &self.port().to_string(), "-U", "leafid"]);
        command.args(["-d", database, "-v", "ON_ERROR_STOP=1", "-q", "-1", "-f"]).arg(from);
        process::run(command).map(drop)
    }

    fn replica(&self, settings: &[&str]) -> Result<Postgres, String> {
        let mut replica = Postgres { running: Running::nothing_yet()? };
        own(replica.running.folder.path()).map_err(|error| error.to_string())?;
        self.backed_up(&replica.data(), &["-R"])?;
        replica.start_again_with(settings)?;
        Ok(replica)
    }

    fn cut_off(&self, replica: &mut Postgres) -> Result<(), String> {
        let position = self.run("postgres", "SELECT pg_current_wal_lsn()")?;
        process::until(|| replica.replayed(&position))?;
        replica.stop()
    }

    fn fail_over(&mut self, mut replica: Postgres) -> Result<(), String> {
        replica.take_over(self)?;
        *self = replica;
        match &*self.run("postgres", "SELECT pg_promote(true, 240)")? {
            "t" => Ok(()),
            told => Err(format!("pg_promote: {told}")),
        }
    }
}

/// Makes the server's user the owner of a file.
fn own(path: &Path) -> io::Result<()> {
    if !process::is_root() {
        return Ok(());
    }
    std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY))
}
