//! TLS to a member.

use std::path::Path;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::backends::tls::{self, Asked};
use crate::keyed::engine::Broken;
use crate::problem::Problem;

/// Who is believed to be a member.
pub type Trust = Arc<ClientConfig>;

/// Believes whom this file's authorities vouch for, or the public ones.
///
/// # Errors
/// `REQUEST_INVALID` where the file has no certificate.
pub fn trust(authorities: Option<&Path>) -> Result<Trust, Problem> {
    let authorities = authorities.map(|file| ("ca", file));
    Ok(Arc::new(tls::client(&Asked { authorities, ..Asked::default() })?))
}

/// Speaks TLS over a stream.
///
/// # Errors
/// The member is not who it should be.
pub async fn over(
    stream: TcpStream,
    host: &str,
    trust: &Trust,
) -> Result<TlsStream<TcpStream>, Broken> {
    let cannot = |error: &dyn std::fmt::Display| Broken::lost(format!("`{host}`: {error}"));
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let name = name.trim_start_matches('[').trim_end_matches(']').to_owned();
    let name = ServerName::try_from(name).map_err(|error| cannot(&error))?;
    let connector = TlsConnector::from(Arc::clone(trust));
    connector.connect(name, stream).await.map_err(|error| match tls::failure(&error) {
        // No later try will find it to be another one.
        Some(failure) => {
            Broken::refused(format!("`{host}`: {}", tls::advice(failure, "?ca=FILE", None)))
        }
        None => cannot(&error),
    })
}
