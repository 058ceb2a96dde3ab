//! TLS as the URL asks for it, by libpq's names. Once it is asked for, the certificate is looked at.

use std::path::Path;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, SslNegotiation};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::backends::address::Options;
use crate::backends::tls::{self, Asked};
use crate::problem::Problem;

/// The options that are about TLS and that the client crate does not know, or knows in part.
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
    let [mode, authorities, certificate, key] =
        OPTIONS.map(|name| options.get(name).map(String::as_str));
    let any_name = match mode {
        // As with libpq the last two do not insist on it, and so hinder nobody who is in between.
        None | Some("disable" | "allow" | "prefer") => {
            if authorities.or(certificate).or(key).is_some() {
                return Err(wrong(
                    "it names certificates, and does not ask for TLS: add \
                                  `sslmode=verify-full`",
                ));
            }
            config.ssl_mode(SslMode::Disable);
            return Ok(None);
        }
        Some("require" | "verify-full") => false,
        Some("verify-ca") => true,
        Some(_) => {
            return Err(wrong("`sslmode` is one of disable, require, verify-ca and verify-full"));
        }
    };
    if config.get_hosts().iter().any(|host| !matches!(host, Host::Tcp(_))) {
        return Err(wrong("there is no TLS over a socket: leave out `sslmode`"));
    }
    let own = match (certificate, key) {
        (Some(certificate), Some(key)) => {
            Some([("sslcert", Path::new(certificate)), ("sslkey", Path::new(key))])
        }
        (None, None) => None,
        _ => return Err(wrong("`sslcert` and `sslkey` belong together")),
    };
    let authorities = authorities.filter(|file| *file != "system");
    let authorities = authorities.map(|file| ("sslrootcert", Path::new(file)));
    let mut client = tls::client(&Asked { authorities, any_name, own })?;
    if config.get_ssl_negotiation() == SslNegotiation::Direct {
        client.alpn_protocols = vec![b"postgresql".to_vec()];
    }
    config.ssl_mode(SslMode::Require);
    Ok(Some(MakeRustlsConnect::new(client)))
}
