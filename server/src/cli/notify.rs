//! Notifies the service manager that started this process, if there is one: systemd, or another one that
//! speaks its protocol.

use std::time::Duration;

use tokio::task::JoinHandle;

use crate::host;

/// Leases are granted from now on.
pub const READY: &str = "READY=1";
/// Only requests under way are still answered.
pub const STOPPING: &str = "STOPPING=1";

/// Sends a line to the socket in `NOTIFY_SOCKET`.
pub fn tell(line: &str) {
    let Some(place) = std::env::var_os("NOTIFY_SOCKET").filter(|place| !place.is_empty()) else {
        return;
    };
    if let Err(error) = host::notify(&place, line) {
        let place = place.to_string_lossy();
        tracing::warn!(
            "`{line}` cannot be sent to the service manager at NOTIFY_SOCKET `{place}`: {error}"
        );
    }
}

/// Tells a service manager with a watchdog that requests are served, twice as often as it asks for.
pub fn watchdog() -> Option<JoinHandle<()>> {
    let said = |name| std::env::var(name).ok();
    let for_another = said("WATCHDOG_PID")
        .and_then(|pid| pid.parse::<u32>().ok())
        .is_some_and(|pid| pid != std::process::id());
    let usec = said("WATCHDOG_USEC")?.parse::<u64>().ok().filter(|usec| *usec > 1)?;
    if for_another {
        return None;
    }
    let pause = Duration::from_micros(usec / 2);
    Some(tokio::spawn(async move {
        loop {
            tell("WATCHDOG=1");
            tokio::time::sleep(pause).await;
        }
    }))
}
