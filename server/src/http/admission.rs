//! Access to Leaf's listener, by address: Leaf's clients cannot send a token.

use std::net::{IpAddr, SocketAddr};

use axum::http::request::Parts;
use ipnet::IpNet;
use leafid_core::Code;
use leafid_store::problem::Problem;

use super::authorize::log_refusal;
use super::entry::Entry;
use super::guard;
use crate::access::caller::Caller;

/// Admits a request; a refusal is counted and logged.
pub fn check(entry: &Entry, head: &Parts, peer: Option<SocketAddr>) -> Result<(), Problem> {
    let address = peer.map(|peer| peer.ip().to_canonical());
    let checked = if may_ask(&entry.rules.from, address) {
        guard::check_any(head, &entry.rules.hosts)
    } else {
        let address = address.map_or_else(String::new, |address| address.to_string());
        let detail = format!(
            "address `{address}` is not among those that may ask here; ask the operator to allow \
             it: leafid serve --leaf-allow"
        );
        Err(Problem::new(Code::Forbidden, detail))
    };
    checked.inspect_err(|problem| {
        entry.app.requests.refused(problem.code);
        let caller = Caller { listener: entry.listener.name, peer, member: None };
        log_refusal(problem, head, &caller);
    })
}

/// Whether an address lies in one of the networks; without any network every address may ask.
fn may_ask(ranges: &[IpNet], peer: Option<IpAddr>) -> bool {
    ranges.is_empty() || peer.is_some_and(|peer| ranges.iter().any(|range| range.contains(&peer)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::net;

    #[test]
    fn an_address_of_version_4_may_come_as_version_6() {
        let may = |ranges: &[&str], peer: &str| {
            let ranges: Vec<IpNet> = ranges.iter().map(|text| net(text).unwrap()).collect();
            may_ask(&ranges, Some(peer.parse::<IpAddr>().unwrap().to_canonical()))
        };
        let some = ["10.0.0.0/8", "192.0.2.1", "fd00::/8"];
        for good in ["10.255.255.255", "192.0.2.1", "fd12:3456::1", "::ffff:10.1.2.3"] {
            assert!(may(&some, good), "{good}");
        }
        for bad in ["11.0.0.0", "192.0.2.2", "127.0.0.1", "::1", "fe00::1"] {
            assert!(!may(&some, bad), "{bad}");
        }
        // IPv4 is not mapped to `::/96`, and `/0` covers only one version.
        assert!(!may(&["::/96"], "0.0.0.1") && !may(&["0.0.0.0/0"], "::1"));
        assert!(may(&["0.0.0.0/0"], "203.0.113.9") && may(&[], "::1"));
        assert!(!may_ask(&[net("::/0").unwrap()], None) && may_ask(&[], None));
    }
}
