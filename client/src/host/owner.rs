//! This process's label: `hostname/pid`.

use leafid_core::{Name, Refusal};

/// The label, cut to the longest allowed length.
pub fn name() -> Result<Name, Refusal> {
    let pid = std::process::id();
    let host: String = hostname().chars().filter(|letter| !letter.is_control()).take(100).collect();
    let host = if host.is_empty() { "host" } else { &host };
    Name::owner(&format!("{host}/{pid}")).or_else(|_| Name::owner(&format!("host/{pid}")))
}

#[cfg(unix)]
fn hostname() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn hostname() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}
