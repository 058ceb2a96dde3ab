//! A proxy in front of a store that counts the connections for which the store is down.

use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Passes a client's bytes on. It lasts as long as the program.
pub struct Proxy {
    address: SocketAddr,
    in_vain: Arc<AtomicUsize>,
}

impl Proxy {
    pub fn start(store: SocketAddr) -> Proxy {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let in_vain = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&in_vain);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                match TcpStream::connect(store) {
                    // A client that disconnects midway only ends its own threads.
                    Ok(store) => drop(join(&client, &store)),
                    Err(_) => drop(counted.fetch_add(1, Ordering::Relaxed)),
                }
            }
        });
        Proxy { address, in_vain }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many connections found the store down so far.
    pub fn in_vain(&self) -> usize {
        self.in_vain.load(Ordering::Relaxed)
    }
}

/// Copies both ways; the end of either side is that of the other.
fn join(client: &TcpStream, store: &TcpStream) -> io::Result<()> {
    for (from, to) in [(client, store), (store, client)] {
        let (mut from, mut to) = (from.try_clone()?, to.try_clone()?);
        thread::spawn(move || {
            let _ = io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Both);
        });
    }
    Ok(())
}
