//! The label of this process: `hostname/pid`.

use leafid_core::{Name, Refusal};

/// The label, cut to what fits.
///
/// # Errors
/// None but the core's own.
pub fn name() -> Result<Name, Refusal> {
    let pid = std::process::id();
    let host: String = hostname().chars().filter(|letter| !letter.is_control()).take(100).collect();
    let host = if host.is_empty() { "host" } else { &host };
    Name::owner(&format!("{host}/{pid}")).or_else(|_| Name::owner(&format!("host/{pid}")))
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "the standard library does not know the host's name")]
fn hostname() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the call writes at most so many bytes, and the last one stays zero.
    let failed = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) } != 0;
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(0);
    if failed { String::new() } else { String::from_utf8_lossy(&name[..end]).into_owned() }
}

#[cfg(not(unix))]
fn hostname() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}
