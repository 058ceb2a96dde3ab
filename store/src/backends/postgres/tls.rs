//! TLS as the URL asks for it, by libpq's names. Once it is asked for, the certificate is looked at.

use std::path::Path;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, SslNegotiation};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::backends::address::Options;
use crate::backends::tls::{self, Asked};
use crate::problem::Problem;

pub const OPTIONS: [&str; 4] = ["sslmode", "sslrootcert", "sslcert", "sslkey"];

/// Takes what the URL says of TLS into the configuration; nothing where it asks for none.
///
/// # Errors
/// `REQUEST_INVALID` where that cannot be done.
pub fn of(
    config: &mut Config,
    options: &Options,
    wrong: impl Fn(&str) -> Problem,
) -> Result<Option<MakeRustlsConnect>, Problem> {
    let any_name = |mode: Option<&str>| match mode {
        // As with libpq the last two do not insist on it, and so hinder nobody who is in between.
        None | Some("disable" | "allow" | "prefer") => Ok(None),
        Some("require" | "verify-full") => Ok(Some(false)),
        Some("verify-ca") => Ok(Some(true)),
        Some(_) => Err("`sslmode` is one of disable, require, verify-ca and verify-full"),
    };
    let asked = Asked::of(options, OPTIONS, "sslmode=verify-full", any_name);
    let Some(mut asked) = asked.map_err(|why| wrong(&why))? else {
        config.ssl_mode(SslMode::Disable);
        return Ok(None);
    };
    if config.get_hosts().iter().any(|host| !matches!(host, Host::Tcp(_))) {
        return Err(wrong("there is no TLS over a socket: leave out `sslmode`"));
    }
    asked.authorities = asked.authorities.filter(|(_, file)| *file != Path::new("system"));
    let mut client = tls::client(&asked)?;
    if config.get_ssl_negotiation() == SslNegotiation::Direct {
        client.alpn_protocols = vec![b"postgresql".to_vec()];
    }
    config.ssl_mode(SslMode::Require);
    Ok(Some(MakeRustlsConnect::new(client)))
}
