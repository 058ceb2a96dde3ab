//! The address of a running server.

use std::net::Ipv6Addr;

/// `http://HOST:PORT` or `https://HOST:PORT`, without a slash at the end. Without a port it is the
/// scheme's own; a path in front of the API's stays.
///
/// # Errors
/// What would have been one.
pub fn base(text: &str) -> Result<String, &'static str> {
    const FORM: &str = "http://HOST:PORT";
    let secured = text.strip_prefix("https://").map(|rest| ("https", rest));
    let plain = || text.strip_prefix("http://").map(|rest| ("http", rest));
    let (scheme, rest) = secured.or_else(plain).ok_or(FORM)?;
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    if rest.contains(|c: char| c.is_whitespace() || c.is_control() || "?#@\\".contains(c)) {
        return Err(FORM);
    }
    let authority = rest.split('/').next().unwrap_or(rest);
    let (host, port) = match authority.strip_prefix('[') {
        Some(v6) => {
            let (host, port) = v6.split_once(']').ok_or(FORM)?;
            host.parse::<Ipv6Addr>().map_err(|_| FORM)?;
            (host, if port.is_empty() { None } else { Some(port.strip_prefix(':').ok_or(FORM)?) })
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    if host.is_empty() {
        return Err(FORM);
    }
    let is_port = |port: &str| {
        let digits = port.bytes().all(|byte| byte.is_ascii_digit());
        digits && port.parse::<u16>().is_ok_and(|port| port > 0)
    };
    match port {
        Some(port) if !is_port(port) => Err("http://HOST:PORT with a port from 1 to 65535"),
        _ => Ok(format!("{scheme}://{rest}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_whole_or_not_at_all() {
        for (text, taken) in [
            ("http://127.0.0.1:8750", "http://127.0.0.1:8750"),
            ("http://127.0.0.1:8750/", "http://127.0.0.1:8750"),
            ("http://ids.example/leafid", "http://ids.example/leafid"),
            ("http://[::1]:65535", "http://[::1]:65535"),
            ("http://[::1]", "http://[::1]"),
            ("https://ids.example/", "https://ids.example"),
        ] {
            assert_eq!(base(text).as_deref(), Ok(taken), "{text}");
        }
        for wrong in [
            "127.0.0.1:8750",
            "ftp://h:1",
            "https:/h:1",
            "http://",
            "http://:1",
            "http:///v1",
            "http://h:",
            "http://h:/",
            "http://h:0",
            "http://h:99999",
            "http://h:+1",
            "http://h:-1",
            "http://h:abc",
            "http://h:1:2",
            "http://[::1",
            "http://[::1]8750",
            "http://[h]:1",
            "http://u@h:1",
            "http://h:1?x",
            "http://h :1",
        ] {
            assert!(base(wrong).is_err(), "{wrong}");
        }
    }
}
