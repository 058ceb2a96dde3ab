//! Parsers for the values of options; an error shows a valid value.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use clap::builder::RangedU64ValueParser;
use ipnet::IpNet;
use leafid_core::registry::{MAX_WINDOW_CAP_MS, STEP_CAP};
use leafid_core::{Layout, Range, Text, Token};

pub use crate::access::file::{pattern, verb};
pub use leafid_store::utc::span_ms;

pub fn step() -> RangedU64ValueParser<u32> {
    RangedU64ValueParser::new().range(1..=STEP_CAP.into())
}

pub fn preset(text: &str) -> Result<Layout, String> {
    Layout::named(text).ok_or_else(|| "use leaf, edge, long or js53".to_owned())
}

/// A longest window, as in `10s`, `1500ms`, `10m`, `1h`, in ms.
pub fn longest_window_ms(text: &str) -> Result<u32, String> {
    match span_ms(text)? {
        ms @ 1_000..=MAX_WINDOW_CAP_MS => Ok(ms),
        _ => Err("a longest window lasts from 1s to 24h".to_owned()),
    }
}

/// `0..64`: from 0 up to, but without, 64.
pub fn range(text: &str) -> Result<Range, String> {
    let read = || {
        let (start, end) = text.split_once("..")?;
        Some(Range::new(start.parse().ok()?, end.parse().ok()?))
    };
    read().ok_or_else(|| "use a first number and an end, as in 0..64".to_owned())
}

/// `41/10/12`: the widths of time, worker and sequence.
pub fn bits(text: &str) -> Result<(u8, u8, u8), String> {
    let mut widths = text.split('/').map(str::parse);
    let mut width = || widths.next()?.ok();
    match (width(), width(), width(), widths.next()) {
        (Some(time), Some(worker), Some(sequence), None) => Ok((time, worker, sequence)),
        _ => Err("use three widths, as in 41/10/12".to_owned()),
    }
}

pub fn number(text: &str) -> Result<u64, String> {
    Text::parse_decimal(text)
        .map_err(|_| "use a whole number from 1 to 9223372036854775807".to_owned())
}

pub fn token(text: &str) -> Result<Token, String> {
    Token::parse(text).map_err(|_| "use 32 hex digits, as `serve` shows them".to_owned())
}

/// `127.0.0.1:8750`, `localhost:8750`, `[::1]:8750`. A name stands for its first IPv4 address: that is
/// what clients try by default.
pub fn listen(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs().map_err(|error| {
        format!("use an address and a port, as in 127.0.0.1:8750 or localhost:8750 ({error})")
    })?;
    let found: Vec<SocketAddr> = found.collect();
    let first = found.iter().find(|address| address.is_ipv4()).or(found.first());
    first.copied().ok_or_else(|| "this name has no address".to_owned())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub at: SocketAddr,
    /// Whether it speaks plain HTTP there although the server has a certificate.
    pub plain: bool,
}

pub fn place(text: &str) -> Result<Place, String> {
    let bare = text.strip_prefix("http://");
    Ok(Place { at: listen(bare.unwrap_or(text))?, plain: bare.is_some() })
}

/// The name of a host, without a port.
pub fn host(text: &str) -> Result<String, String> {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let is_name = !text.is_empty() && text.bytes().all(is_known);
    is_name.then(|| text.to_owned()).ok_or_else(|| "use a name without a port".to_owned())
}

/// `10.0.0.0/8`, `2001:db8::/32`, or one address.
pub fn net(text: &str) -> Result<IpNet, String> {
    let one = text.parse().map(|address: IpAddr| IpNet::from(address));
    let range: IpNet = one.or_else(|_| text.parse()).map_err(|_| {
        "use an address or a range of them, as in 10.1.2.3, 10.0.0.0/8 or fd00::/8".to_owned()
    })?;
    match range.trunc() == range {
        true => Ok(range),
        false => Err(format!(
            "it has bits beyond the first {}; use {}",
            range.prefix_len(),
            range.trunc()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_strict() {
        assert_eq!(longest_window_ms("10s"), Ok(10_000));
        assert_eq!(longest_window_ms("1500ms"), Ok(1_500));
        assert_eq!(longest_window_ms("24h"), Ok(86_400_000));
        for wrong in ["10", "s", "", "-1s", "10 s", "1.5s", "10d"] {
            let says = longest_window_ms(wrong).unwrap_err();
            assert!(says.contains("a number and a unit"), "{wrong}: {says}");
        }
        for far in ["0s", "999ms", "25h", "999999999h", "99999999999999999999999s"] {
            let says = longest_window_ms(far).unwrap_err();
            assert!(says.contains("from 1s to 24h"), "{far}: {says}");
        }
        assert_eq!(range("0..64"), Ok(Range::new(0, 64)));
        assert!(range("0-64").is_err() && range("..4").is_err());
        assert_eq!(bits("41/10/12"), Ok((41, 10, 12)));
        for wrong in ["41/10", "41/10/12/0", "300/1/1", "41/x/12", ""] {
            assert!(bits(wrong).is_err(), "{wrong}");
        }
        assert_eq!(number("5000001"), Ok(5_000_001));
        assert!(number("-1").is_err() && number("1e3").is_err());
    }

    #[test]
    fn an_address_may_be_a_name() {
        for (text, address) in [
            ("localhost:8750", "127.0.0.1:8750"),
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("[::1]:8750", "[::1]:8750"),
        ] {
            assert_eq!(listen(text), Ok(address.parse().unwrap()), "{text}");
        }
        for wrong in ["here", "8750", ":8750", "localhost:", "127.0.0.1:99999"] {
            assert!(listen(wrong).is_err(), "{wrong}: {:?}", listen(wrong));
        }
    }

    #[test]
    fn other_forms_of_a_range_of_addresses_are_refused() {
        for (text, says) in [
            ("here", "as in 10.1.2.3"),
            ("10.0.0.0/", "as in 10.1.2.3"),
            ("10.0.0.0/33", "as in 10.1.2.3"),
            ("fd00::/129", "as in 10.1.2.3"),
            ("10.0.0.0-10.0.0.9", "as in 10.1.2.3"),
            ("10.1.2.3/8", "use 10.0.0.0/8"),
            ("fd00::1/8", "use fd00::/8"),
        ] {
            let why = net(text).unwrap_err();
            assert!(why.contains(says), "{text}: {why}");
        }
    }
}
