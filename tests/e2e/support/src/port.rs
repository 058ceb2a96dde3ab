//! Free TCP ports for tests.

use std::fs::{File, Permissions};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicU32, Ordering};

/// A port of 127.0.0.1 that no other test uses, also while no server listens on it: a stopped server
/// finds it free when it restarts.
#[derive(Debug)]
pub struct Port {
    number: u16,
    /// The lock file: locked, against all processes, as long as the port is ours.
    _lock: File,
}

impl Port {
    /// Takes a port below the range of outgoing connections: a client that keeps trying a stopped server on a
    /// port of *that* range is in the end connected to itself, and the server finds its port in use.
    pub fn take() -> Result<Port, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let folder = std::env::temp_dir().join("leafid-ports");
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("`{}`: {error}", folder.display()))?;
        // Every user may create locks in this folder; only its owner can set the mode.
        let _ = std::fs::set_permissions(&folder, Permissions::from_mode(0o1777));
        let start = std::process::id().wrapping_mul(97);
        for _ in 0..6_000 {
            let at = NEXT.fetch_add(1, Ordering::Relaxed);
            let number = 26_000 + (start.wrapping_add(at.wrapping_mul(7)) % 6_000) as u16;
            let file = folder.join(number.to_string());
            let file = File::options().create(true).truncate(false).write(true).open(file);
            // A lock that another user holds belongs to another test.
            let Some(lock) = file.ok().filter(|file| file.try_lock().is_ok()) else { continue };
            if TcpListener::bind((Ipv4Addr::LOCALHOST, number)).is_ok() {
                return Ok(Port { number, _lock: lock });
            }
        }
        Err("no port is free between 26000 and 32000".to_owned())
    }

    pub fn number(&self) -> u16 {
        self.number
    }
}
