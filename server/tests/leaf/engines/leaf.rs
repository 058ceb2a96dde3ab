//! A simulated Leaf that registers, stamps IDs and reports its time, on a clock that is passed in.

use std::sync::Arc;
use std::time::Duration;

use leafid_core::Layout;
use leafid_servers::{Databases, Mariadb, Server, Zookeeper};
use leafid_store::clock::{Clock, SystemClock};
use zookeeper_client::{Acls, Client, CreateMode};

/// ms since 1970.
pub fn now() -> i64 {
    SystemClock.wall().get()
}

/// How often a Leaf reports its time to its registry.
pub const TELLS_MS: i64 = 3_000;

const PORT: &str = "54215";

/// The operations of Leaf's registry.
pub trait Registry {
    /// Registers a machine; gives its worker number, which it gets at its first start.
    fn register(&self, ip: &str, port: &str, at: i64) -> u32;
    fn tell(&self, leaf: &Leaf, at: i64);
}

pub struct Leaf {
    pub worker: u32,
    pub ip: String,
    pub port: String,
    /// How far the Leaf's clock is ahead of ours, in ms.
    pub ahead_ms: i64,
    pub runs: bool,
    last: i64,
    sequence: u64,
    told: i64,
}

impl Leaf {
    pub fn start(registry: &impl Registry, ip: &str, ahead_ms: i64, now: i64) -> Leaf {
        let worker = registry.register(ip, PORT, now + ahead_ms);
        Leaf { ahead_ms, told: now + ahead_ms, ..Leaf::again(worker, ip) }
    }

    /// Starts a machine's Leaf again, on its worker number.
    pub fn again(worker: u32, ip: &str) -> Leaf {
        let (ip, port) = (ip.to_owned(), PORT.to_owned());
        let (ahead_ms, last, sequence, told) = (0, -1, 0, 0);
        Leaf { worker, ip, port, ahead_ms, runs: true, last, sequence, told }
    }

    pub fn owner(&self) -> String {
        format!("{}:{}", self.ip, self.port)
    }

    /// Lets time pass: every 3 s the Leaf reports its own time.
    pub fn tick(&mut self, registry: &impl Registry, now: i64) {
        let at = now + self.ahead_ms;
        if self.runs && at >= self.told + TELLS_MS {
            registry.tell(self, at);
            self.told = at;
        }
    }

    pub fn ids(&mut self, now: i64, count: usize, random: &mut u64) -> Vec<u64> {
        let mut at = (now + self.ahead_ms).max(self.last);
        let mut ids = Vec::with_capacity(count);
        while ids.len() < count {
            if at == self.last {
                self.sequence = (self.sequence + 1) & 4_095;
                if self.sequence == 0 {
                    at += 1;
                    self.sequence = draw(random) % 100;
                }
            } else {
                self.sequence = draw(random) % 100;
            }
            self.last = at;
            let since = u64::try_from(at - Layout::LEAF.epoch_ms()).expect("after 2010");
            ids.push(since << 22 | u64::from(self.worker) << 12 | self.sequence);
        }
        ids
    }
}

/// Steps a pseudo-random generator.
pub fn draw(random: &mut u64) -> u64 {
    *random =
        random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *random >> 33
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

    pub fn write(&self, path: &str, data: &str) {
        let written = self.runtime.block_on(self.client.set_data(path, data.as_bytes(), None));
        written.unwrap_or_else(|error| panic!("{path}: {error}"));
    }

    pub fn data(ip: &str, port: &str, at: i64) -> String {
        format!("{{\"ip\":\"{ip}\",\"port\":\"{port}\",\"timestamp\":{at}}}")
    }
}

impl Registry for Tree {
    fn register(&self, ip: &str, port: &str, at: i64) -> u32 {
        let path = format!("{}/forever/{ip}:{port}-", self.path);
        let made = self.make(&path, &Tree::data(ip, port, at), CreateMode::PersistentSequential);
        let number = made.rsplit('-').next().expect("a sequence");
        assert_eq!(number.len(), 10, "as in 192.0.2.2:54215-0000000000: {made}");
        number.parse().expect("digits")
    }

    fn tell(&self, leaf: &Leaf, at: i64) {
        let path = format!("{}/forever/{}-{:010}", self.path, leaf.owner(), leaf.worker);
        self.write(&path, &Tree::data(&leaf.ip, &leaf.port, at));
    }
}

pub struct Table {
    pub server: Arc<Mariadb>,
    pub database: String,
}

impl Table {
    pub fn in_mariadb(server: Arc<Mariadb>, database: &str) -> Table {
        server.fresh(database);
        let table = Table { server, database: database.to_owned() };
        table.run(
            "CREATE TABLE `leaf_workerid_alloc` (`id` bigint(20) NOT NULL AUTO_INCREMENT, \
             `ip` varchar(127) DEFAULT NULL, `port` varchar(127) DEFAULT NULL, \
             `ip_port` varchar(127) NOT NULL, `max_timestamp` bigint(20) DEFAULT NULL, \
             `create_time` timestamp NULL DEFAULT NULL, \
             `update_time` timestamp NULL DEFAULT NULL ON UPDATE CURRENT_TIMESTAMP, \
             PRIMARY KEY (`id`), UNIQUE KEY `idx_ipport` (`ip_port`) USING BTREE) \
             ENGINE=InnoDB AUTO_INCREMENT=0",
        );
        table
    }

    pub fn url(&self) -> String {
        format!("mysql://root@127.0.0.1:{}/{}", self.server.port(), self.database)
    }

    pub fn run(&self, sql: &str) -> String {
        self.server.run(&self.database, sql).unwrap_or_else(|said| panic!("{sql}: {said}"))
    }
}

impl Registry for Table {
    fn register(&self, ip: &str, port: &str, at: i64) -> u32 {
        let id = self.run(&format!(
            "INSERT INTO leaf_workerid_alloc (ip_port, ip, port, max_timestamp, create_time, update_time) \
             VALUES ('{ip}:{port}', '{ip}', '{port}', {at}, NOW(), NOW()); SELECT LAST_INSERT_ID()"
        ));
        id.trim().parse().expect("an id")
    }

    fn tell(&self, leaf: &Leaf, at: i64) {
        let id = leaf.worker;
        self.run(&format!("UPDATE leaf_workerid_alloc SET max_timestamp = {at} WHERE id = {id}"));
    }
}
