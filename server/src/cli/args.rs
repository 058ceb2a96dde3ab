//! How the values of options are read.

use std::net::{SocketAddr, ToSocketAddrs};

use leafid_core::{Layout, Range, Text, Token};
use tracing::level_filters::LevelFilter;

/// A preset's layout.
///
/// # Errors
/// What would have been one.
pub fn preset(text: &str) -> Result<Layout, String> {
    Layout::named(text).ok_or_else(|| "it is one of leaf, edge, long, js53".to_owned())
}

/// `10s`, `500ms`, `10m`, `1h`, in ms.
///
/// # Errors
/// What would have been one.
pub fn duration_ms(text: &str) -> Result<u32, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale = match unit {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let ms = scale.and_then(|scale: u32| number.parse::<u32>().ok()?.checked_mul(scale));
    ms.ok_or_else(|| "it is a number and a unit, as in 500ms, 10s, 5m, 1h".to_owned())
}

/// As [`duration_ms`], of a longest window: below a second there is none.
///
/// # Errors
/// What would have been one.
pub fn longest_window_ms(text: &str) -> Result<u32, String> {
    let ms = duration_ms(text)?;
    if ms < 1_000 {
        Err("it is at least 1s, as every longest window is".to_owned())
    } else {
        Ok(ms)
    }
}

/// `0..64`: from 0 up to, but without, 64.
///
/// # Errors
/// What would have been one.
pub fn range(text: &str) -> Result<Range, String> {
    let read = || {
        let (start, end) = text.split_once("..")?;
        Some(Range::new(start.parse().ok()?, end.parse().ok()?))
    };
    read().ok_or_else(|| "it is a first number and an end, as in 0..64".to_owned())
}

/// `41/10/12`: the widths of time, worker and sequence.
///
/// # Errors
/// What would have been one.
pub fn bits(text: &str) -> Result<(u8, u8, u8), String> {
    let mut widths = text.split('/').map(str::parse);
    let mut width = || widths.next()?.ok();
    match (width(), width(), width(), widths.next()) {
        (Some(time), Some(worker), Some(sequence), None) => Ok((time, worker, sequence)),
        _ => Err("it is three widths, as in 41/10/12".to_owned()),
    }
}

/// A number of a tag's line.
///
/// # Errors
/// What would have been one.
pub fn number(text: &str) -> Result<u64, String> {
    Text::parse_decimal(text).map_err(|_| "it is a whole number from 1 to 2^63 - 1".to_owned())
}

/// The id of a store.
///
/// # Errors
/// What would have been one.
pub fn token(text: &str) -> Result<Token, String> {
    Token::parse(text).map_err(|_| "it is 32 hex digits, as `serve` shows them".to_owned())
}

/// How much is logged.
///
/// # Errors
/// What would have been one.
pub fn level(text: &str) -> Result<LevelFilter, String> {
    text.parse().map_err(|_| "it is one of off, error, warn, info, debug, trace".to_owned())
}

/// `127.0.0.1:8750`, `localhost:8750`, `[::1]:8750`. Of a name's addresses the first of version 4
/// counts: it is what clients try that are told nothing else.
///
/// # Errors
/// What would have been one.
pub fn listen(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs().map_err(|error| {
        format!("it is an address and a port, as in 127.0.0.1:8750 or localhost:8750 ({error})")
    })?;
    let found: Vec<SocketAddr> = found.collect();
    let first = found.iter().find(|address| address.is_ipv4()).or(found.first());
    first.copied().ok_or_else(|| "this name has no address".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_strict() {
        assert_eq!(duration_ms("10s"), Ok(10_000));
        assert_eq!(duration_ms("250ms"), Ok(250));
        for wrong in ["10", "s", "", "-1s", "10 s", "99999999h"] {
            assert!(duration_ms(wrong).is_err(), "{wrong}");
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
}
