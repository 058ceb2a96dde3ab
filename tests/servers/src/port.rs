//! Ports that nobody uses.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A port of 127.0.0.1 that is free, below those that the system gives to outgoing connections: a
/// client that keeps trying a stopped server on one of *those* will in the end be connected to
/// itself, and hold the port against the server's return.
///
/// # Errors
/// None is free.
pub fn free() -> Result<u16, String> {
    // Tests run side by side: each looks further on, so that two do not find the same port before
    // their servers listen on it.
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let start = std::process::id().wrapping_mul(97);
    for _ in 0..6_000 {
        let at = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = 26_000 + (start.wrapping_add(at.wrapping_mul(7)) % 6_000) as u16;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    Err("no port is free between 26000 and 32000".to_owned())
}

/// Whether what listens on a port answers a question with this word in it.
pub fn says(port: u16, question: &str, word: &str) -> bool {
    let ask = || {
        let limit = Duration::from_secs(1);
        let to = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut stream = TcpStream::connect_timeout(&to, limit)?;
        stream.set_read_timeout(Some(limit))?;
        stream.write_all(question.as_bytes())?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok::<_, std::io::Error>(String::from_utf8_lossy(&answer).contains(word))
    };
    ask().unwrap_or(false)
}
