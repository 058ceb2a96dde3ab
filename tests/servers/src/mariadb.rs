//! Starts and stops a real MariaDB, which represents MySQL too.

use std::fs;
use std::io::Read;
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use leafid_stream::child::dies_with_us;

use crate::running::{Running, running};
use crate::{Databases, Server, process};

/// A MariaDB server of one node. Its user `root` has every right and no password.
pub struct Mariadb {
    running: Running,
}

impl Server for Mariadb {
    const NAME: &'static str = "MariaDB";
    const PACKAGE: &'static str = "mariadb-server";
    const NEEDS: &'static [&'static str] = &["mariadbd", "mariadb-install-db", "mariadb"];
    /// Debian installs the server in a folder that only root's PATH has.
    const FOLDERS: &'static [&'static str] = &["/usr/sbin"];

    fn make() -> Result<Mariadb, String> {
        let running = Running::nothing_yet()?;
        let folder = running.folder.path();
        let mut command = Command::new(Mariadb::find("mariadb-install-db")?);
        command.args(["--no-defaults", "--auth-root-authentication-method=normal"]);
        command.arg("--skip-test-db").arg(format!("--user={}", user()?));
        command.arg(format!("--datadir={}", folder.join("data").display()));
        // Two installations at once would collide in the common folder for temporary tables.
        command.env("TMPDIR", folder);
        process::run(command)?;
        // Runs at every start, before anybody can connect.
        let init = "CREATE DATABASE IF NOT EXISTS leafid;\n";
        fs::write(folder.join("init.sql"), init).map_err(|error| error.to_string())?;
        Ok(Mariadb { running })
    }

    running!();

    fn command(&self) -> Result<Command, String> {
        let folder = self.running.folder.path();
        let mut command = dies_with_us(&Mariadb::find("mariadbd")?);
        command.args(["--no-defaults", "--bind-address=127.0.0.1", "--skip-name-resolve"]);
        command.arg(format!("--user={}", user()?));
        command.arg(format!("--datadir={}", folder.join("data").display()));
        command.arg(format!("--socket={}", folder.join("s.sock").display()));
        command.arg(format!("--init-file={}", folder.join("init.sql").display()));
        command.arg(format!("--port={}", self.port())).current_dir(folder);
        command.env("TMPDIR", folder);
        command.args(self.running.settings.iter().map(|setting| format!("--{setting}")));
        Ok(command)
    }

    /// Whether it sends its greeting: version 10 of the protocol.
    fn answers(&self, _: &str) -> bool {
        let to = (Ipv4Addr::LOCALHOST, self.port());
        let Ok(mut stream) = TcpStream::connect(to) else { return false };
        let mut head = [0; 5];
        stream.set_read_timeout(Some(Duration::from_secs(5))).is_ok()
            && stream.read_exact(&mut head).is_ok()
            && head[4] == 10
    }

    fn url(&self) -> String {
        format!("mysql://root@127.0.0.1:{}/leafid", self.port())
    }

    fn fresh(&self, name: &str) -> String {
        self.run("leafid", &format!("CREATE DATABASE {name}")).expect("a database");
        format!("mysql://root@127.0.0.1:{}/{name}", self.port())
    }
}

impl Databases for Mariadb {
    fn run(&self, database: &str, sql: &str) -> Result<String, String> {
        let mut command = Command::new(Mariadb::find("mariadb")?);
        command.args(["--no-defaults", "-h127.0.0.1", "-uroot", "-N", "-B", "-e", sql, database]);
        command.arg(format!("-P{}", self.port()));
        process::run(command)
    }

    fn dump(&self, database: &str, to: &Path) -> Result<(), String> {
        let mut command = Command::new(Mariadb::find("mariadb-dump")?);
        command.args(["--no-defaults", "-h127.0.0.1", "-uroot", &format!("-P{}", self.port())]);
        command.args(["--single-transaction", "--hex-blob", "-r"]).arg(to).arg(database);
        process::run(command).map(drop)
    }

    fn load(&self, database: &str, from: &Path) -> Result<(), String> {
        self.run(database, &format!("source {}", from.display())).map(drop)
    }

    fn replica(&self, settings: &[&str]) -> Result<Mariadb, String> {
        let mut replica = Mariadb::make()?;
        // One that has become a primary has replicas of its own.
        let id = format!("server-id={}", replica.port());
        let own = ["log-slave-updates=ON", "skip-slave-start", &id];
        replica.start_again_with(&[settings, &own].concat())?;
        let follow = format!(
            "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={}, MASTER_USER='root', \
             MASTER_CONNECT_RETRY=1, MASTER_USE_GTID=slave_pos; START SLAVE",
            self.port()
        );
        replica.run("leafid", &follow)?;
        Ok(replica)
    }

    fn cut_off(&self, replica: &mut Mariadb) -> Result<(), String> {
        let position = self.run("leafid", "SELECT @@gtid_binlog_pos")?;
        let told = replica.run("leafid", &format!("SELECT MASTER_GTID_WAIT('{position}', 240)"))?;
        if told != "0" {
            return Err(replica.run("leafid", "SHOW SLAVE STATUS\\G")?);
        }
        replica.run("leafid", "STOP SLAVE; RESET SLAVE ALL").map(drop)
    }

    fn fail_over(&mut self, mut replica: Mariadb) -> Result<(), String> {
        replica.take_over(self)?;
        *self = replica;
        Ok(())
    }
}

/// The user that the server runs as; the default one exists only where its package was installed.
fn user() -> Result<String, String> {
    let output = Command::new("id").arg("-un").output().map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
