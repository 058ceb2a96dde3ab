//! The machine's identity, and the time since its start.

use std::fs;

use leafid_core::HostTime;
use rustix::time::{ClockId, clock_gettime};

/// The time since the machine's start, suspends included: the same for every process, so that one can compare
/// another's.
pub fn since_boot() -> HostTime {
    let now = clock_gettime(ClockId::Boottime);
    HostTime::new(now.tv_sec * 1_000 + now.tv_nsec / 1_000_000)
}

/// The id of the machine's last start; `None` if it cannot be read.
pub fn boot_id() -> Option<[u8; 16]> {
    hex(&fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?)
}

/// The machine's id; zeros where it has none, as in most containers.
pub fn machine_id() -> [u8; 16] {
    let text = fs::read_to_string("/etc/machine-id").unwrap_or_default();
    hex(&text).unwrap_or_default()
}

/// Parses 32 hex digits, with or without hyphens.
fn hex(text: &str) -> Option<[u8; 16]> {
    let digits: String = text.trim().chars().filter(|c| *c != '-').collect();
    let number = u128::from_str_radix(&digits, 16).ok()?;
    (digits.len() == 32).then(|| number.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_with_and_without_hyphens() {
        let bytes = hex("00010203-0405-0607-0809-0a0b0c0d0e0f\n");
        assert_eq!(bytes, Some([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]));
        assert_eq!(hex("000102030405060708090a0b0c0d0e0f"), bytes);
        assert_eq!(hex(""), None);
        assert_eq!(hex("0001"), None);
        assert!(boot_id().is_some() && since_boot() > HostTime::new(0));
    }
}
