//! TLS to a member.

use std::path::Path;
use std::sync::Arc;

use leafid_core::Code;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::backends::keyed::engine::Broken;
use crate::problem::Problem;

/// Who is believed to be a member.
pub type Trust = Arc<ClientConfig>;

/// Believes whom this file's authorities vouch for, or the public ones.
///
/// # Errors
/// `REQUEST_INVALID` where the file has no certificate.
pub fn trust(authorities: Option<&Path>) -> Result<Trust, Problem> {
    let mut roots = RootCertStore::empty();
    match authorities {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(path) => {
            let wrong = |why: String| {
                let detail = format!("`ca={}`: {why}; name a file in PEM", path.display());
                Problem::new(Code::RequestInvalid, detail)
            };
            let file = CertificateDer::pem_file_iter(path);
            for certificate in file.map_err(|error| wrong(error.to_string()))? {
                let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
                roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
            }
            if roots.is_empty() {
                return Err(wrong("it has no certificate".to_owned()));
            }
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Problem::new(Code::Internal, format!("no TLS: {error}")))?;
    Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
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
    connector.connect(name, stream).await.map_err(|error| cannot(&error))
}
