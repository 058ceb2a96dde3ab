//! A proxy in front of a store that counts requests.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// Counts a client's requests. A request while the store is down ends the client's connection.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

struct Shared {
    store: SocketAddr,
    requests: AtomicUsize,
    closing: AtomicBool,
}

impl Proxy {
    pub fn start(store: SocketAddr) -> Proxy {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let (requests, closing) = (AtomicUsize::new(0), AtomicBool::new(false));
        let shared = Arc::new(Shared { store, requests, closing });
        let listening = thread::spawn({
            let shared = Arc::clone(&shared);
            move || listen(&listener, &shared)
        });
        Proxy { address, shared, listening: Some(listening) }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far, also those while the store was down.
    pub fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::Relaxed)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Relaxed);
        // A last connection wakes the listener.
        let _ = TcpStream::connect(self.address);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    for client in listener.incoming() {
        if shared.closing.load(Ordering::Relaxed) {
            return;
        }
        let Ok(client) = client else { continue };
        let shared = Arc::clone(shared);
        // A client that disconnects midway only ends its own thread.
        thread::spawn(move || drop(serve(client, &shared)));
    }
}

fn serve(client: TcpStream, shared: &Shared) -> io::Result<()> {
    client.set_read_timeout(Some(LIMIT))?;
    let mut answers = client.try_clone()?;
    let mut requests = BufReader::new(client);
    while let Some(request) = message(&mut requests)? {
        shared.requests.fetch_add(1, Ordering::Relaxed);
        let mut store = TcpStream::connect(shared.store)?;
        store.set_read_timeout(Some(LIMIT))?;
        store.write_all(&request)?;
        let answer = message(&mut BufReader::new(store))?;
        answers.write_all(&answer.ok_or(io::ErrorKind::UnexpectedEof)?)?;
    }
    Ok(())
}

/// Reads one request or answer, head and body; `None` at the end of the connection.
fn message(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut whole = Vec::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            let cut = io::Error::from(io::ErrorKind::UnexpectedEof);
            return if whole.is_empty() { Ok(None) } else { Err(cut) };
        }
        whole.extend_from_slice(line.as_bytes());
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().map_err(io::Error::other)?;
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            return Err(io::Error::other("a message without a length"));
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let head = whole.len();
    whole.resize(head + length, 0);
    from.read_exact(&mut whole[head..])?;
    Ok(Some(whole))
}
