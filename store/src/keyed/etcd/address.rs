//! Parses `etcd://HOST:PORT[,HOST:PORT]/PREFIX`, the URL of a store in etcd.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::ClientConfig;

use crate::backends::address::{prints_its_place, unusable};
use crate::backends::tls::{self, Asked};
use crate::keyed::address::{Address as Parts, parts};
use crate::problem::Problem;

pub type Trust = Arc<ClientConfig>;

const PORT: u16 = 2379;

const FORM: &str = "`etcd://[USER:PASSWORD@]HOST:PORT[,…]/PREFIX`, or `etcds://…` with TLS, then also \
                    with `?ca=FILE`";

/// Where a store in etcd is.
#[derive(Clone)]
pub struct Address {
    /// The parts of the URL.
    pub at: Parts,
    /// The TLS settings, if TLS is used.
    pub tls: Option<Trust>,
    /// The URL without the password.
    pub place: String,
}

impl Address {
    /// Reads a URL.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, which does not repeat the URL: it may have a password.
    pub fn parse(url: &str) -> Result<Address, Problem> {
        let wrong = |why: &str| unusable("etcd", why, FORM);
        let at = parts(url, PORT, &["ca"]).map_err(|why| wrong(&why))?;
        let authorities = at.options.get("ca").map(Path::new);
        let tls = match at.scheme.as_str() {
            "etcds" => Some(Arc::new(tls::client(&Asked {
                authorities: authorities.map(|file| ("ca", file)),
                ..Asked::default()
            })?)),
            _ if authorities.is_some() => return Err(wrong("`ca` is for etcds://")),
            _ => None,
        };
        Ok(Address { place: at.place.clone(), at, tls })
    }
}

prints_its_place!(Address);
