//! A simulated Leaf that registers, stamps IDs and reports its time, and Leaf's two registries.

use std::time::Duration;

use leafid_core::Layout;
use leafid_servers::{Server, Zookeeper};
use leafid_store::clock::{Clock, SystemClock};
use zookeeper_client::{Acls, Client, CreateMode};

/// ms since 1970.
pub fn now() -> i64 {
    SystemClock.wall().get()
}

/// A Leaf that runs on a worker number.
pub struct Leaf {
    pub worker: u32,
    pub owner: &'static str,
    last: i64,
    sequence: u64,
}

impl Leaf {
    pub fn on(worker: u32, owner: &'static str) -> Leaf {
        Leaf { worker, owner, last: -1, sequence: 0 }
    }

    pub fn ids(&mut self, now: i64, count: usize) -> Vec<u64> {
        let mut at = now.max(self.last);
        let mut ids = Vec::with_capacity(count);
        while ids.len() < count {
            self.sequence = if at == self.last { (self.sequence + 1) & 4_095 } else { 0 };
            if at == self.last && self.sequence == 0 {
                at += 1;
            }
            self.last = at;
            let since = u64::try_from(at - Layout::LEAF.epoch_ms()).expect("after 2010");
            ids.push(since << 22 | u64::from(self.worker) << 12 | self.sequence);
        }
        ids
    }
}

/// `/snowflake/NAME/forever` in ZooKeeper.
pub struct Tree {
    runtime: tokio::runtime::Runtime,
    client: Client,
    pub path: String,
    pub url: String,
}

impl Tree {
    pub fn in_zookeeper(server: &Zookeeper, name: &str) -> Tree {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a thread that keeps the session");
        let host = format!("127.0.0.1:{}", server.port());
        // The session must survive a busy machine.
        let session = Client::connector().with_session_timeout(Duration::from_secs(120));
        let client = runtime.block_on(session.connect(&host)).expect("ZooKeeper answers");
        let path = format!("/snowflake/{name}");
        Tree { runtime, client, url: format!("zk://{host}{path}"), path }
    }

    pub fn make(&self, path: &str, data: &str, mode: CreateMode) -> String {
        let acls = Acls::anyone_all();
        let mkdir = CreateMode::Persistent.with_acls(acls);
        let above = path.rsplit_once('/').expect("an absolute path").0;
        self.runtime.block_on(async {
            match self.client.mkdir(above, &mkdir).await {
                Ok(()) | Err(zookeeper_client::Error::NodeExists) => {}
                Err(error) => panic!("{above}: {error}"),
            }
            let made = self.client.create(path, data.as_bytes(), &mode.with_acls(acls)).await;
            let (_, number) = made.unwrap_or_else(|error| panic!("{path}: {error}"));
            match mode {
                CreateMode::PersistentSequential => format!("{path}{number}"),
                _ => path.to_owned(),
            }
        })
    }

    pub fn data(owner: &str, at: i64) -> String {
        let (ip, port) = owner.split_once(':').expect("`ip:port`");
        format!("{{\"ip\":\"{ip}\",\"port\":\"{port}\",\"timestamp\":{at}}}")
    }

    /// Registers a machine; gives its worker number, which it gets at its first start.
    pub fn register(&self, owner: &str, at: i64) -> u32 {
        let path = format!("{}/forever/{owner}-", self.path);
        let made = self.make(&path, &Tree::data(owner, at), CreateMode::PersistentSequential);
        let number = made.rsplit('-').next().expect("a sequence");
        assert_eq!(number.len(), 10, "as in 192.0.2.2:54215-0000000000: {made}");
        number.parse().expect("digits")
    }

    pub fn tell(&self, leaf: &Leaf, at: i64) {
        let path = format!("{}/forever/{}-{:010}", self.path, leaf.owner, leaf.worker);
        let data = Tree::data(leaf.owner, at);
        let written = self.runtime.block_on(self.client.set_data(&path, data.as_bytes(), None));
        written.unwrap_or_else(|error| panic!("{path}: {error}"));
    }
}
