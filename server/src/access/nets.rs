//! Ranges of addresses that may ask, where nothing else tells who does.

use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;

/// Reads `10.0.0.0/8`, `2001:db8::/32`, or one address.
///
/// # Errors
/// The forms that are accepted.
pub fn parse(text: &str) -> Result<IpNet, String> {
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

/// Who may ask: whose address lies in one of some ranges, or everybody.
#[derive(Clone, Debug, Default)]
pub struct Nets(Option<Arc<[IpNet]>>);

impl Nets {
    /// These ranges; without any everybody may ask.
    pub fn new(ranges: &[IpNet]) -> Nets {
        Nets((!ranges.is_empty()).then(|| ranges.into()))
    }

    /// Whether everybody may ask.
    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// Whether this address may ask. One of version 4 may come as one of version 6.
    pub fn allow(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.as_ref().is_none_or(|ranges| ranges.iter().any(|range| range.contains(&address)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nets(ranges: &[&str]) -> Nets {
        Nets::new(&ranges.iter().map(|text| parse(text).unwrap()).collect::<Vec<_>>())
    }

    #[test]
    fn an_address_of_version_4_may_come_as_version_6() {
        let some = nets(&["10.0.0.0/8", "192.0.2.1", "fd00::/8"]);
        for good in ["10.255.255.255", "192.0.2.1", "fd12:3456::1", "::ffff:10.1.2.3"] {
            assert!(some.allow(good.parse().unwrap()), "{good}");
        }
        for bad in ["11.0.0.0", "192.0.2.2", "127.0.0.1", "::1", "fe00::1"] {
            assert!(!some.allow(bad.parse().unwrap()), "{bad}");
        }
        // `::/96` is not what version 4 is mapped to, and /0 is all of one version.
        assert!(!nets(&["::/96"]).allow("0.0.0.1".parse().unwrap()));
        let four = nets(&["0.0.0.0/0"]);
        assert!(four.allow("203.0.113.9".parse().unwrap()) && !four.allow("::1".parse().unwrap()));
        assert!(Nets::default().is_all() && Nets::default().allow("::1".parse().unwrap()));
        assert!(!nets(&["::/0"]).is_all());
    }

    #[test]
    fn other_forms_are_refused() {
        for (text, says) in [
            ("here", "as in 10.1.2.3"),
            ("10.0.0.0/", "as in 10.1.2.3"),
            ("10.0.0.0/33", "as in 10.1.2.3"),
            ("fd00::/129", "as in 10.1.2.3"),
            ("10.0.0.0-10.0.0.9", "as in 10.1.2.3"),
            ("10.1.2.3/8", "use 10.0.0.0/8"),
            ("fd00::1/8", "use fd00::/8"),
        ] {
            let why = parse(text).unwrap_err();
            assert!(why.contains(says), "{text}: {why}");
        }
    }
}
