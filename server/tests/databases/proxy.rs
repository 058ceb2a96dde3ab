//! A proxy to a database, which counts and delays its answers.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A proxy to a database that counts and delays its answers, open until this program ends.
#[derive(Clone)]
pub struct Proxy {
    database: u16,
    port: u16,
    /// The delay of each answer, in ms.
    pub away: Arc<AtomicU64>,
    /// How many bytes the database has answered.
    pub answered: Arc<AtomicU64>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    pub fn to(database: u16) -> Proxy {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let port = listener.local_addr().expect("it listens").port();
        let (away, answered, open) = Default::default();
        let proxy = Proxy { database, port, away, answered, open };
        let joined = proxy.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // Without its database the connection ends.
                let _ = joined.join(client);
            }
        });
        proxy
    }

    /// The URL of the database by this proxy.
    pub fn through(&self, url: &str) -> String {
        url.replace(&format!(":{}/", self.database), &format!(":{}/", self.port))
    }

    pub fn cut(&self) {
        for stream in self.open.lock().expect("nobody panicked").drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn join(&self, mut client: TcpStream) -> io::Result<()> {
        let mut database = TcpStream::connect((Ipv4Addr::LOCALHOST, self.database))?;
        for stream in [&client, &database] {
            stream.set_nodelay(true)?;
            self.open.lock().expect("nobody panicked").push(stream.try_clone()?);
        }
        let (mut asks, mut asked) = (client.try_clone()?, database.try_clone()?);
        thread::spawn(move || {
            let _ = io::copy(&mut asks, &mut asked);
            let _ = asked.shutdown(Shutdown::Both);
        });
        let (away, answered) = (Arc::clone(&self.away), Arc::clone(&self.answered));
        thread::spawn(move || {
            let mut part = [0; 16_384];
            while let Ok(read @ 1..) = database.read(&mut part) {
                answered.fetch_add(read as u64, Ordering::Relaxed);
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
