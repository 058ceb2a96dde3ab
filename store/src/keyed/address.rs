//! Parses URLs with several hosts.

use percent_encoding::percent_decode_str;

use crate::backends::address::{Options, prints_its_place, query, without};

/// The parts of `SCHEME://[USER:PASSWORD@]HOST[:PORT][,…][/PATH][?OPTION=VALUE&…]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// The scheme.
    pub scheme: String,
    /// User and password; never shown.
    pub login: Option<(String, String)>,
    /// The servers, each with a port.
    pub hosts: Vec<String>,
    /// The prefix of all keys: a slash at its start and none at its end.
    pub path: String,
    /// The options.
    pub options: Options,
    /// The URL without the login and the options.
    pub place: String,
}

prints_its_place!(Address);

/// Parses a URL that may have these options; the error repeats nothing that may be secret.
pub fn parts(url: &str, port: u16, known: &[&str]) -> Result<Address, String> {
    let (url, options) = without(url, known)?;
    let (scheme, rest) = url.split_once("://").ok_or("it has no `://`")?;
    if let Some((_, left)) = query(rest) {
        let (name, _) = left.split_once('=').ok_or("an option has no value")?;
        return Err(format!("unknown option `{name}`"));
    }
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (login, hosts) = match authority.rsplit_once('@') {
        Some((login, hosts)) => (Some(login), hosts),
        None => (None, authority),
    };
    let decoded = |text: &str| {
        let text = percent_decode_str(text).decode_utf8();
        text.map(|text| text.into_owned()).map_err(|_| "it is not UTF-8".to_owned())
    };
    let login = match login {
        None => None,
        Some(login) => {
            let (user, password) = login.split_once(':').ok_or("the user has no password")?;
            Some((decoded(user)?, decoded(password)?))
        }
    };
    let mut named = Vec::new();
    for host in hosts.split(',') {
        named.push(with_port(host, port)?);
    }
    let path = path.trim_end_matches('/').to_owned();
    let part = |part: &str| {
        !part.is_empty()
            && part != "."
            && part != ".."
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
    };
    if !path.is_empty() && !path.split('/').skip(1).all(part) {
        return Err("its path takes letters, digits, `.`, `_` and `-` between slashes".to_owned());
    }
    let place = format!("{scheme}://{}{path}", named.join(","));
    let path = if path.is_empty() { "/leafid".to_owned() } else { path };
    Ok(Address { scheme: scheme.to_owned(), login, hosts: named, path, options, place })
}

fn with_port(host: &str, port: u16) -> Result<String, String> {
    let bracketed = host.starts_with('[');
    let (name, given) = match host.rsplit_once(':') {
        Some((name, given)) if !bracketed || name.ends_with(']') => (name, Some(given)),
        _ => (host, None),
    };
    let good = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let known = match inner {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !name.is_empty() && name.bytes().all(good),
    };
    if !known {
        return Err("a host name is empty or not valid".to_owned());
    }
    match given.map(str::parse::<u16>) {
        None => Ok(format!("{name}:{port}")),
        Some(Ok(given)) if given > 0 => Ok(format!("{name}:{given}")),
        Some(_) => Err("a port must be 1 to 65535".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read_and_their_passwords_stay_inside() {
        let read = parts("etcd://root:p%40ss:w@a:1,b,[::1]:7/x/y/?ca=%2Fa", 9, &["ca"]);
        let read = read.unwrap();
        assert_eq!(read.login, Some(("root".to_owned(), "p@ss:w".to_owned())));
        assert_eq!(read.hosts, ["a:1", "b:9", "[::1]:7"]);
        assert_eq!((read.path.as_str(), read.options["ca"].as_str()), ("/x/y", "/a"));
        assert_eq!(read.place, "etcd://a:1,b:9,[::1]:7/x/y");
        for wrong in [
            "etcd:a",
            "zk://",
            "zk://a:x",
            "zk://a:0",
            "zk://a,,b",
            "zk://secret@a",
            "zk://a/b//c",
            "zk://a/../b",
            "zk://a/b c",
            "zk://a?secret",
            "zk://a?other=secret",
            "zk://a?ca=secret&ca=secret",
            "zk://a?ca=",
            "zk://se cret:x@a b",
        ] {
            let why = parts(wrong, 9, &["ca"]).map(|parts| parts.place).unwrap_err();
            assert!(!why.contains("secret"), "{wrong}: {why}");
        }
    }
}
