//! ZooKeeper.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use tempfile::TempDir;

use crate::process::{self, Process};
use crate::{Server, port};

const JAR: &str = "/usr/share/java/zookeeper.jar";

/// A server of ZooKeeper: the only one, or one of several.
pub struct Zookeeper {
    folder: TempDir,
    number: usize,
    port: u16,
    /// Where the servers speak with each other, of all of them; empty for the only one.
    cluster: Vec<[u16; 2]>,
    settings: Vec<String>,
    process: Option<Process>,
}

impl Zookeeper {
    /// Servers of one cluster, each with a folder of its own.
    ///
    /// # Errors
    /// One does not start.
    pub fn cluster(count: usize) -> Result<Vec<Zookeeper>, String> {
        let mut cluster = Vec::new();
        for _ in 0..count {
            cluster.push([port::free()?, port::free()?]);
        }
        let mut servers = Vec::new();
        for number in 1..=count {
            let mut server = Zookeeper::server(number)?;
            server.cluster.clone_from(&cluster);
            server.spawn()?;
            servers.push(server);
        }
        for server in &mut servers {
            server.wait()?;
        }
        Ok(servers)
    }

    /// Where an empty place in a cluster is.
    pub fn url_of(servers: &[Zookeeper]) -> String {
        let hosts: Vec<String> =
            servers.iter().map(|server| format!("127.0.0.1:{}", server.port)).collect();
        format!("zk://{}/leafid", hosts.join(","))
    }

    fn server(number: usize) -> Result<Zookeeper, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (cluster, settings) = Default::default();
        Ok(Zookeeper { folder, number, port: port::free()?, cluster, settings, process: None })
    }

    fn java() -> Result<PathBuf, String> {
        process::find("java", &["/usr/bin"]).ok_or_else(|| "java".to_owned())
    }

    fn spawn(&mut self) -> Result<(), String> {
        let folder = self.folder.path();
        let (conf, data) = (folder.join("conf"), folder.join("data"));
        let cannot = |error: std::io::Error| error.to_string();
        fs::create_dir_all(&conf).map_err(cannot)?;
        fs::create_dir_all(&data).map_err(cannot)?;
        fs::write(data.join("myid"), self.number.to_string()).map_err(cannot)?;
        fs::write(conf.join("zoo.cfg"), self.config(&data)).map_err(cannot)?;
        let mut command = process::command(&Zookeeper::java()?, false);
        let path = format!("{}:{JAR}", conf.display());
        command.current_dir(folder).args(["-Xmx512m", "-cp", &path]);
        command.arg("org.apache.zookeeper.server.quorum.QuorumPeerMain");
        command.arg(conf.join("zoo.cfg"));
        self.process = Some(Process::start(command, &folder.join("log"))?);
        Ok(())
    }

    fn config(&self, data: &Path) -> String {
        let mut config = format!(
            "tickTime=500\ninitLimit=20\nsyncLimit=10\ndataDir={}\nclientPort={}\n\
             clientPortAddress=127.0.0.1\nadmin.enableServer=false\nmaxClientCnxns=0\n",
            data.display(),
            self.port
        );
        for (number, [follow, elect]) in (1..).zip(&self.cluster) {
            let _ = writeln!(config, "server.{number}=127.0.0.1:{follow}:{elect}");
        }
        for setting in &self.settings {
            let _ = writeln!(config, "{setting}");
        }
        config
    }

    fn wait(&mut self) -> Result<(), String> {
        let port = self.port;
        let process = self.process.as_mut().ok_or("it was not started")?;
        process.wait_until(|| port::says(port, "srvr", "Mode:"))
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

impl Server for Zookeeper {
    const NAME: &'static str = "ZooKeeper";
    const PACKAGE: &'static str = "zookeeper";

    fn missing() -> Option<String> {
        if !Path::new(JAR).is_file() {
            return Some(JAR.to_owned());
        }
        Zookeeper::java().err()
    }

    fn start_with(settings: &[&str]) -> Result<Zookeeper, String> {
        let mut server = Zookeeper::server(1)?;
        server.settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
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
        format!("zk://127.0.0.1:{}/leafid", self.port)
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
