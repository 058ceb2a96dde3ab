//! The conditions that callers of an address must meet.

use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;

use super::tls::Tls;
use crate::access::tokens::Tokens;

#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The hosts that a request may name.
    pub hosts: Hosts,
    /// The tokens; without them every caller may do everything that is served.
    pub tokens: Option<Arc<Tokens>>,
    /// The certificate; without it connections speak plain HTTP.
    pub tls: Option<Arc<Tls>>,
    /// The networks whose addresses may ask, where clients can send no token; without any, every address.
    pub from: Arc<[IpNet]>,
}

/// The hosts that a request may name. Another site's page can have its own name resolve to this server,
/// whose answers the browser then shows to the page; the name in the request gives it away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Hosts {
    /// The names and addresses of this machine alone.
    #[default]
    Loopback,
    /// Any IP address, which no page can have as its name, and these names.
    Named(Arc<[String]>),
    /// Any: a page has no token to send.
    Any,
}

impl Hosts {
    pub fn allow(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
            _ => host,
        };
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let address: Option<IpAddr> = bare.unwrap_or(name).parse().ok();
        let is_loopback = name.eq_ignore_ascii_case("localhost")
            || address.is_some_and(|address| address.is_loopback());
        is_loopback
            || match self {
                Hosts::Loopback => false,
                Hosts::Any => true,
                Hosts::Named(names) => {
                    let is_named = |known: &String| known.eq_ignore_ascii_case(name);
                    address.is_some() || names.iter().any(is_named)
                }
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_are_this_machine() {
        let own = Hosts::Loopback;
        for good in ["127.0.0.1", "127.0.0.1:8750", "127.8.9.10:1", "localhost:8750", "[::1]:8750"]
        {
            assert!(own.allow(good), "{good}");
        }
        let bad = ["", "evil.example", "127.0.0.1.evil.example", "192.0.2.1:8750", "localhost:x"];
        for bad in bad {
            assert!(!own.allow(bad), "{bad}");
        }
    }

    #[test]
    fn on_a_network_addresses_and_its_own_names() {
        let known = Hosts::Named(["ids.internal".to_owned()].into());
        for good in ["192.0.2.1:8750", "[2001:db8::1]", "IDS.internal:8750", "localhost"] {
            assert!(known.allow(good), "{good}");
        }
        for bad in ["", "evil.example", "ids.internal.evil.example", "192.0.2.1.evil", "x:8750"] {
            assert!(!known.allow(bad), "{bad}");
        }
    }
}
