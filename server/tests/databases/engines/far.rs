//! A database that is far away: each answer takes a while to arrive.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use leafid_servers::{Databases, Mariadb, Server, for_test};
use serde_json::json;

use crate::serve;
use crate::support::{says, until};

const AWAY_MS: u64 = 25;
/// Enough tags that, read one by one, they take longer than the time-out of an answer.
const TAGS: usize = 210;

/// A proxy to a database that delays answers, open until this program ends.
#[derive(Clone)]
struct Way {
    port: u16,
    /// The delay of each answer, in ms.
    away: Arc<AtomicU64>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Way {
    fn to(database: u16) -> Way {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let port = listener.local_addr().expect("it listens").port();
        let way = Way { port, away: Arc::default(), open: Arc::default() };
        let joined = way.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // Without its database the connection ends.
                let _ = joined.join(client, database);
            }
        });
        way
    }

    fn cut(&self) {
        for stream in self.open.lock().expect("nobody panicked").drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn join(&self, mut client: TcpStream, port: u16) -> io::Result<()> {
        let mut database = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        for stream in [&client, &database] {
            stream.set_nodelay(true)?;
            self.open.lock().expect("nobody panicked").push(stream.try_clone()?);
        }
        let (mut asks, mut asked) = (client.try_clone()?, database.try_clone()?);
        thread::spawn(move || {
            let _ = io::copy(&mut asks, &mut asked);
            let _ = asked.shutdown(Shutdown::Both);
        });
        let away = Arc::clone(&self.away);
        thread::spawn(move || {
            let mut part = [0; 16_384];
            while let Ok(read @ 1..) = database.read(&mut part) {
                thread::sleep(Duration::from_millis(away.load(Ordering::Relaxed)));
                if client.write_all(&part[..read]).is_err() {
                    break;
                }
            }
            let _ = client.shutdown(Shutdown::Both);
        });
        Ok(())
    }
}

/// After each interruption the server compares every tag that it leased from with its row.
#[test]
fn a_server_with_many_tags_comes_back_to_a_mariadb_that_is_far_away() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let way = Way::to(server.port());
    let url = server.fresh("far");
    says(&url, &["init"]);
    let rows: Vec<String> = (0..TAGS).map(|n| format!("('tag{n}', 1, 10, 1000000, 0)")).collect();
    let insert = "INSERT INTO tags (tag, max_id, step, max_step, deleted) VALUES";
    server.run("far", &format!("{insert} {}", rows.join(","))).expect("rows");
    let port = format!(":{}/", way.port);
    let serving = serve(&url.replace(&format!(":{}/", server.port()), &port), &[]);
    let lease = |n: usize| serving.lease(&format!("tag{n}"), &json!({}));
    let leases = |n| until(|| (lease(n).0 == 200).then_some(())).expect("a lease");
    (0..TAGS).for_each(leases);
    way.away.store(AWAY_MS, Ordering::Relaxed);
    way.cut();
    leases(0);
    serving.logs(&["WARN", "the connection is lost"]);
    serving.ready(200, &["\"ok\""]);
}
