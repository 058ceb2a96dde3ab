//! Parses `etcd://HOST:PORT[,HOST:PORT]/PREFIX`, the URL of a store in etcd.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_rustls::rustls::ClientConfig;

use crate::backends::address::{prints_its_place, unusable};
use crate::backends::tls::{self, Asked};
use crate::keyed::address::{Parts, parts};
use crate::problem::Problem;

pub type Trust = Arc<ClientConfig>;

const PORT: u16 = 2379;

const FORM: &str = "`etcd://[USER:PASSWORD@]HOST:PORT[,…]/PREFIX`, or `etcds://…` with TLS, then also \
                    with `?ca=FILE`";

/// Where a store in etcd is, and the login.
#[derive(Clone)]
pub struct Address {
    /// The members, each with a port.
    pub members: Vec<String>,
    /// The prefix of all keys.
    pub prefix: String,
    /// The login.
    pub login: Option<Login>,
    /// The TLS settings, if TLS is used.
    pub tls: Option<Trust>,
    /// The URL without the password.
    pub place: String,
}

#[derive(Clone)]
pub struct Login {
    pub user: String,
    /// Never shown.
    pub password: String,
}

impl Address {
    /// Reads a URL.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, which does not repeat the URL: it may have a password.
    pub fn parse(url: &str) -> Result<Address, Problem> {
        let wrong = |why: &str| unusable("etcd", why, FORM);
        let Parts { scheme, login, hosts, path, mut options, place } =
            parts(url, PORT, &["ca"]).map_err(|why| wrong(&why))?;
        let authorities = options.remove("ca").map(PathBuf::from);
        let tls = match scheme.as_str() {
            "etcds" => Some(Arc::new(tls::client(&Asked {
                authorities: authorities.as_deref().map(|file| ("ca", file)),
                ..Asked::default()
            })?)),
            _ if authorities.is_some() => return Err(wrong("`ca` is for etcds://")),
            _ => None,
        };
        let login = login.map(|(user, password)| Login { user, password });
        let prefix = if path.is_empty() { "/leafid".to_owned() } else { path };
        Ok(Address { members: hosts, prefix, login, tls, place })
    }
}

prints_its_place!(Address);
