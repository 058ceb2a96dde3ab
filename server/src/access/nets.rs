//! Ranges of addresses that may ask, where nothing else tells who does.

use std::net::IpAddr;
use std::sync::Arc;

/// A range of addresses: those that begin with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net {
    first: IpAddr,
    bits: u8,
}

impl Net {
    /// Reads `10.0.0.0/8`, `2001:db8::/32`, or one address.
    ///
    /// # Errors
    /// What would have been one.
    pub fn parse(text: &str) -> Result<Net, String> {
        let wanted = || "use an address or a range of them, as in 10.1.2.3, 10.0.0.0/8 or fd00::/8";
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let first: IpAddr = address.parse().map_err(|_| wanted())?;
        let most = if first.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => most,
            // Not `+8`, and not `08`.
            Some(said) => {
                let bits: u8 = said.parse().map_err(|_| wanted())?;
                if bits.to_string() != said || bits > most {
                    return Err(format!("a range of such addresses has /0 to /{most}"));
                }
                bits
            }
        };
        let begins = beginning(first, bits);
        if begins != first {
            return Err(format!("it has bits beyond the first {bits}; use {begins}/{bits}"));
        }
        Ok(Net { first, bits })
    }

    fn holds(&self, address: IpAddr) -> bool {
        self.first.is_ipv4() == address.is_ipv4() && beginning(address, self.bits) == self.first
    }
}

/// An address whose bits beyond the first `bits` are 0.
fn beginning(address: IpAddr, bits: u8) -> IpAddr {
    let behind = |width: u32| width.saturating_sub(bits.into());
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(behind(32)).unwrap_or(0);
            IpAddr::V4((address.to_bits() & mask).into())
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(behind(128)).unwrap_or(0);
            IpAddr::V6((address.to_bits() & mask).into())
        }
    }
}

/// Who may ask: whose address lies in one of some ranges, or everybody.
#[derive(Clone, Debug, Default)]
pub struct Nets(Option<Arc<[Net]>>);

impl Nets {
    /// These ranges; without any everybody may ask.
    pub fn new(ranges: &[Net]) -> Nets {
        Nets((!ranges.is_empty()).then(|| ranges.into()))
    }

    /// Whether everybody may ask.
    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// Whether this address may ask. One of version 4 may come as one of version 6.
    pub fn allow(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.as_ref().is_none_or(|ranges| ranges.iter().any(|range| range.holds(address)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nets(ranges: &[&str]) -> Nets {
        Nets::new(&ranges.iter().map(|text| Net::parse(text).unwrap()).collect::<Vec<_>>())
    }

    #[test]
    fn a_range_holds_what_begins_as_it_does() {
        let some = nets(&["10.0.0.0/8", "192.168.7.0/29", "192.0.2.1", "fd00::/8", "2001:db8::1"]);
        for good in [
            "10.0.0.0",
            "10.255.255.255",
            "192.168.7.7",
            "192.0.2.1",
            "fd12:3456::1",
            "2001:db8::1",
            "::ffff:10.1.2.3",
        ] {
            assert!(some.allow(good.parse().unwrap()), "{good}");
        }
        for bad in ["11.0.0.0", "9.255.255.255", "192.168.7.8", "192.0.2.2", "127.0.0.1", "::1"] {
            assert!(!some.allow(bad.parse().unwrap()), "{bad}");
        }
        assert!(
            !some.allow("2001:db8::2".parse().unwrap()) && !some.allow("fe00::1".parse().unwrap())
        );
        // `::/96` is not what version 4 is mapped to, and /0 is all of one version.
        assert!(!nets(&["::/96"]).allow("0.0.0.1".parse().unwrap()));
        let four = nets(&["0.0.0.0/0"]);
        assert!(four.allow("203.0.113.9".parse().unwrap()) && !four.allow("::1".parse().unwrap()));
        assert!(Nets::default().is_all() && Nets::default().allow("::1".parse().unwrap()));
        assert!(!nets(&["::/0"]).is_all());
    }

    #[test]
    fn what_is_no_range_is_said_so() {
        for (text, says) in [
            ("", "as in 10.1.2.3"),
            ("here", "as in 10.1.2.3"),
            ("10.0.0.0/", "as in 10.1.2.3"),
            ("10.0.0.0/-1", "as in 10.1.2.3"),
            ("10.0.0.0/+8", "/0 to /32"),
            ("10.0.0.0/08", "/0 to /32"),
            ("10.0.0.0/33", "/0 to /32"),
            ("fd00::/129", "/0 to /128"),
            ("10.1.2.3/8", "use 10.0.0.0/8"),
            ("fd00::1/8", "use fd00::/8"),
            ("10.0.0.0-10.0.0.9", "as in 10.1.2.3"),
        ] {
            let why = Net::parse(text).unwrap_err();
            assert!(why.contains(says), "{text}: {why}");
        }
    }
}
