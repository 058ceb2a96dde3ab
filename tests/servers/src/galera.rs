//! Two members of a Galera cluster of MariaDB.

use std::path::Path;
use std::process::Command;

use leafid_stream::child::{Child, dies_with_us};
use leafid_stream::port::Port;

use crate::{Databases, Mariadb, Server, missing, process};

const PROVIDERS: [&str; 2] =
    ["/usr/lib/galera/libgalera_smm.so", "/usr/lib64/galera/libgalera_smm.so"];

/// Two servers with the same tables; what one writes, the other one applies a little later.
pub struct Galera {
    pub members: [Mariadb; 2],
    _ports: Vec<Port>,
}

impl Galera {
    /// Starts both; `None` where it is not installed.
    pub fn for_test() -> Option<Galera> {
        let provider = PROVIDERS.iter().find(|provider| Path::new(provider).exists());
        let Some(provider) = provider.filter(|_| process::find("rsync", &[]).is_some()) else {
            missing("galera", "`libgalera_smm.so` or `rsync` (apt-get install galera-4 rsync)");
            return None;
        };
        if Mariadb::missing().is_some() {
            return crate::for_test::<Mariadb>().and(None);
        }
        Some(Galera::start(provider).unwrap_or_else(|said| panic!("Galera does not start: {said}")))
    }

    fn start(provider: &str) -> Result<Galera, String> {
        let ports = (0..6).map(|_| Port::take()).collect::<Result<Vec<Port>, _>>()?;
        let port = |at: usize| ports[at].number();
        let start = |number: usize, more: &str| {
            let at = 3 * number;
            let mut member = Mariadb::make()?;
            let user = if process::is_root() { "user=nobody" } else { "wsrep-debug=NONE" };
            // As root, rsync's daemon could not write.
            own(member.running().folder.path())?;
            member.start_again_with(&[
                user,
                "wsrep-on=ON",
                &format!("wsrep-provider={provider}"),
                "wsrep-node-address=127.0.0.1",
                &format!(
                    "wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:{};\
                     ist.recv_addr=127.0.0.1:{}",
                    port(at),
                    port(at + 1)
                ),
                "wsrep-sst-method=rsync",
                &format!("wsrep-sst-receive-address=127.0.0.1:{}", port(at + 2)),
                "binlog-format=ROW",
                "innodb-autoinc-lock-mode=2",
                "innodb-flush-log-at-trx-commit=1",
                more,
            ])?;
            Ok::<_, String>(member)
        };
        // The first one makes the cluster, and the other one joins it.
        let first = start(0, "wsrep-cluster-address=gcomm://")?;
        let second = start(1, &format!("wsrep-cluster-address=gcomm://127.0.0.1:{}", port(0)))?;
        process::until(|| {
            second.run("mysql", "SHOW STATUS LIKE 'wsrep_ready'").is_ok_and(|it| it.ends_with("ON"))
        })?;
        Ok(Galera { members: [first, second], _ports: ports })
    }

    /// Keeps a member from applying what the other one writes, until the value is dropped: it answers reads
    /// as of now.
    pub fn lag(&self, member: usize) -> Result<Child, String> {
        let member = &self.members[member];
        member.run("mysql", "SET GLOBAL wsrep_desync = ON")?;
        let mut command = dies_with_us(&Mariadb::find("mariadb")?);
        command.args(["--no-defaults", "-h127.0.0.1", "-uroot", &format!("-P{}", member.port())]);
        command.args(["-e", "FLUSH TABLES WITH READ LOCK; SELECT SLEEP(600)"]);
        let child = Child::start("mariadb", command, |_| ()).map_err(|error| error.to_string())?;
        let sleeps =
            "SELECT count(*) FROM information_schema.processlist WHERE state = 'User sleep'";
        process::until(|| member.run("mysql", sleeps).is_ok_and(|it| it == "1"))?;
        Ok(child)
    }
}

/// Makes `nobody` the owner of a folder.
fn own(folder: &Path) -> Result<(), String> {
    if !process::is_root() {
        return Ok(());
    }
    let mut command = Command::new("chown");
    command.arg("-R").arg(process::NOBODY.to_string()).arg(folder);
    process::run(command).map(drop)
}
