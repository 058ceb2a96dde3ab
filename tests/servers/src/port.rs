//! Ports that nobody uses.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

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
