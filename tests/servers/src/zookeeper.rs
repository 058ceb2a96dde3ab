//! Starts and stops real ZooKeeper servers.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use leafid_stream::child::dies_with_us;
use leafid_stream::port::Port;

use crate::running::{Running, running};
use crate::{Clustered, Server, process};

const JAR: &str = "zookeeper.jar";

/// A server's ports for the others: one to follow the leader, one for elections.
type Peer = Arc<[Port; 2]>;

/// A ZooKeeper server: the only one, or one of several.
pub struct Zookeeper {
    running: Running,
    number: usize,
    /// The peer ports of all servers; empty for a single one.
    cluster: Vec<Peer>,
}

impl Zookeeper {
    fn server(number: usize) -> Result<Zookeeper, String> {
        Ok(Zookeeper { running: Running::nothing_yet()?, number, cluster: Vec::new() })
    }

    fn config(&self, data: &Path) -> String {
        let mut config = format!(
            "tickTime=500\ninitLimit=240\nsyncLimit=120\ndataDir={}\nclientPort={}\n\
             clientPortAddress=127.0.0.1\nadmin.enableServer=false\nmaxClientCnxns=0\n\
             maxSessionTimeout=120000\n",
            data.display(),
            self.port()
        );
        for (number, peer) in (1..).zip(&self.cluster) {
            let [follow, elect] = &**peer;
            let (follow, elect) = (follow.number(), elect.number());
            let _ = writeln!(config, "server.{number}=127.0.0.1:{follow}:{elect}");
        }
        for setting in &self.running.settings {
            let _ = writeln!(config, "{setting}");
        }
        config
    }
}

impl Clustered for Zookeeper {
    fn cluster() -> Result<Vec<Zookeeper>, String> {
        let peer = |_| Ok(Arc::new([Port::take()?, Port::take()?]));
        let cluster = (1..=3).map(peer).collect::<Result<Vec<Peer>, String>>()?;
        let mut servers = (1..=3).map(Zookeeper::server).collect::<Result<Vec<_>, _>>()?;
        for server in &mut servers {
            server.cluster.clone_from(&cluster);
            server.spawn()?;
        }
        servers.iter_mut().try_for_each(Zookeeper::wait)?;
        Ok(servers)
    }
}

impl Server for Zookeeper {
    const NAME: &'static str = "ZooKeeper";
    const PACKAGE: &'static str = "zookeeper";
    const NEEDS: &'static [&'static str] = &["java", JAR];
    const FOLDERS: &'static [&'static str] = &["/usr/bin", "/usr/share/java"];

    fn make() -> Result<Zookeeper, String> {
        Zookeeper::server(1)
    }

    running!();

    fn command(&self) -> Result<Command, String> {
        let folder = self.running.folder.path();
        let (conf, data) = (folder.join("conf"), folder.join("data"));
        let cannot = |error: std::io::Error| error.to_string();
        fs::create_dir_all(&conf).map_err(cannot)?;
        fs::create_dir_all(&data).map_err(cannot)?;
        fs::write(data.join("myid"), self.number.to_string()).map_err(cannot)?;
        fs::write(conf.join("zoo.cfg"), self.config(&data)).map_err(cannot)?;
        let mut command = dies_with_us(&Zookeeper::find("java")?);
        let path = format!("{}:{}", conf.display(), Zookeeper::find(JAR)?.display());
        command.current_dir(folder).args(["-Xmx512m", "-cp", &path]);
        command.arg("org.apache.zookeeper.server.quorum.QuorumPeerMain");
        command.arg(conf.join("zoo.cfg"));
        Ok(command)
    }

    fn answers(&self, _: &str) -> bool {
        process::says(self.port(), "srvr", "Mode:")
    }

    fn url(&self) -> String {
        format!("zk://127.0.0.1:{}/leafid", self.port())
    }
}
