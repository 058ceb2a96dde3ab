//! A database that is far away: each answer is on its way for a while.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use leafid_servers::{Databases, Mariadb, Server, for_test};
use serde_json::json;

use crate::serve;
use crate::support::{says, until};

/// How long an answer is on its way.
const AWAY: Duration = Duration::from_millis(25);
/// So many tags that, one after another, they take longer than one answer may.
const TAGS: usize = 210;

/// The way to a database.
struct Way {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    /// How long an answer is on its way, in ms.
    away: AtomicU64,
    open: Mutex<Vec<TcpStream>>,
    closing: AtomicBool,
}

impl Way {
    fn to(port: u16) -> Way {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let shared = Arc::<Shared>::default();
        let listening = thread::spawn({
            let shared = Arc::clone(&shared);
            move || {
                for client in listener.incoming() {
                    if shared.closing.load(Ordering::Relaxed) {
                        return;
                    }
                    if let Ok(client) = client {
                        // Where the database is away, the connection ends.
                        let _ = shared.join(client, port);
                    }
                }
            }
        });
        Way { address, shared, listening: Some(listening) }
    }

    /// From now on an answer takes so long.
    fn takes(&self, away: Duration) {
        self.shared.away.store(away.as_millis() as u64, Ordering::Relaxed);
    }

    /// Ends every connection.
    fn cut(&self) {
        let mut open = self.shared.open.lock().unwrap_or_else(PoisonError::into_inner);
        for stream in open.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Way {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Relaxed);
        // A last connection wakes the listener.
        let _ = TcpStream::connect(self.address);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
        self.cut();
    }
}

impl Shared {
    fn join(self: &Arc<Shared>, mut client: TcpStream, port: u16) -> io::Result<()> {
        let mut database = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        for stream in [&client, &database] {
            stream.set_nodelay(true)?;
            self.open.lock().unwrap_or_else(PoisonError::into_inner).push(stream.try_clone()?);
        }
        let (mut asks, mut asked) = (client.try_clone()?, database.try_clone()?);
        thread::spawn(move || {
            let _ = io::copy(&mut asks, &mut asked);
            let _ = asked.shutdown(Shutdown::Both);
        });
        let shared = Arc::clone(self);
        thread::spawn(move || {
            let mut part = [0; 16_384];
            while let Ok(read @ 1..) = database.read(&mut part) {
                thread::sleep(Duration::from_millis(shared.away.load(Ordering::Relaxed)));
                if client.write_all(&part[..read]).is_err() {
                    break;
                }
            }
            let _ = client.shutdown(Shutdown::Both);
        });
        Ok(())
    }
}

/// After each interruption it compares every tag that it leased from with what stands there.
#[test]
fn a_server_with_many_tags_comes_back_to_a_mariadb_that_is_far_away() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let way = Way::to(server.port());
    let url = server.fresh("far");
    says(&url, &["init"]);
    let rows: Vec<String> = (0..TAGS).map(|n| format!("('tag{n}', 1, 10, 1000000, 0)")).collect();
    let insert = "INSERT INTO tags (tag, max_id, step, max_step, deleted) VALUES";
    server.run("far", &format!("{insert} {}", rows.join(","))).expect("rows");
    let port = format!(":{}/", way.address.port());
    let serving = serve(&url.replace(&format!(":{}/", server.port()), &port), &[]);
    let lease = |n: usize| serving.lease(&format!("tag{n}"), &json!({}));
    let leases = |n| until(|| (lease(n).0 == 200).then_some(())).expect("a lease");
    (0..TAGS).for_each(leases);
    way.takes(AWAY);
    way.cut();
    leases(0);
    serving.logs(&["WARN", "the connection is lost"]);
    serving.ready(200, &["\"ok\""]);
}
