//! A proxy to a server, which counts and delays its answers, and counts clients for which it is down.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A proxy to a port of this machine, open until this program ends.
#[derive(Clone)]
pub struct Proxy {
    server: u16,
    port: u16,
    /// The delay of each answer, in ms.
    pub away: Arc<AtomicU64>,
    /// How many bytes the server has answered.
    pub answered: Arc<AtomicU64>,
    /// How many connections found the server down.
    pub in_vain: Arc<AtomicU64>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    pub fn to(server: u16) -> Proxy {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let port = listener.local_addr().expect("it listens").port();
        let (away, answered, in_vain, open) = Default::default();
        let proxy = Proxy { server, port, away, answered, in_vain, open };
        let joined = proxy.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                match TcpStream::connect((Ipv4Addr::LOCALHOST, server)) {
                    // A client that disconnects midway only ends its own threads.
                    Ok(server) => drop(joined.join(client, server)),
                    Err(_) => drop(joined.in_vain.fetch_add(1, Ordering::Relaxed)),
                }
            }
        });
        proxy
    }

    /// The URL of the server by this proxy.
    pub fn through(&self, url: &str) -> String {
        url.replace(&format!(":{}", self.server), &format!(":{}", self.port))
    }

    pub fn cut(&self) {
        for stream in self.open.lock().expect("nobody panicked").drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn join(&self, mut client: TcpStream, mut server: TcpStream) -> io::Result<()> {
        for stream in [&client, &server] {
            stream.set_nodelay(true)?;
            self.open.lock().expect("nobody panicked").push(stream.try_clone()?);
        }
        let (mut asks, mut asked) = (client.try_clone()?, server.try_clone()?);
        thread::spawn(move || {
            let _ = io::copy(&mut asks, &mut asked);
            let _ = asked.shutdown(Shutdown::Both);
        });
        let (away, answered) = (Arc::clone(&self.away), Arc::clone(&self.answered));
        thread::spawn(move || {
            let mut part = [0; 16_384];
            while let Ok(read @ 1..) = server.read(&mut part) {
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
