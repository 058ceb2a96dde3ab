//! TLS of the addresses that other machines reach: a certificate and its key in files, which may
//! change while the server runs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use leafid_core::Code;
use tokio_rustls::rustls::client::verify_server_cert_signed_by_trust_anchor;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime, pem};
use tokio_rustls::rustls::server::{ParsedCertificate, WebPkiClientVerifier};
use tokio_rustls::rustls::{CertificateError, Error, RootCertStore, ServerConfig};

use crate::access::fresh::Fresh;
use crate::problem::Problem;

/// So long before its end a certificate is warned of.
const SOON: Duration = Duration::from_secs(14 * 86_400);

/// The files of a server's TLS.
#[derive(Clone, Debug)]
pub struct Files {
    /// The certificate, and those between it and its authority, in PEM.
    pub cert: PathBuf,
    /// Its key, in PEM.
    pub key: PathBuf,
    /// Whose certificates clients must show, if they must: authorities, in PEM.
    pub client_ca: Option<PathBuf>,
}

/// What new connections are greeted with.
#[derive(Debug)]
pub struct Tls {
    files: Files,
    config: RwLock<Arc<ServerConfig>>,
    fresh: Mutex<Fresh>,
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a file that cannot be read, a certificate that is not valid now, or a key
    /// of another certificate.
    pub fn open(files: Files) -> Result<Tls, Problem> {
        let paths = [Some(&files.cert), Some(&files.key), files.client_ca.as_ref()];
        let fresh = Mutex::new(Fresh::new(paths.into_iter().flatten().cloned()));
        let config = RwLock::new(config(&files)?);
        Ok(Tls { files, config, fresh })
    }

    /// Reads the files again if one has changed, or in any case; connections go on as they began.
    /// Where the files cannot be used, what was read before stays.
    ///
    /// # Errors
    /// As [`Tls::open`].
    pub fn reload(&self, in_any_case: bool) -> Result<bool, Problem> {
        let changed = self.fresh.lock().unwrap_or_else(PoisonError::into_inner).changed();
        if !changed && !in_any_case {
            return Ok(false);
        }
        let config = config(&self.files)?;
        *self.config.write().unwrap_or_else(PoisonError::into_inner) = config;
        Ok(true)
    }

    /// What a new connection is greeted with.
    pub fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn config(files: &Files) -> Result<Arc<ServerConfig>, Problem> {
    let chain = certificates("--tls-cert", &files.cert)?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| match error {
        pem::Error::NoItemsFound => wrong("--tls-key", &files.key, "it has no private key in PEM"),
        other => wrong("--tls-key", &files.key, &other.to_string()),
    })?;
    let provider = Arc::new(ring::default_provider());
    in_time(&chain, &files.cert, &provider)?;
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| Problem::new(Code::Internal, format!("no TLS: {error}")))?;
    let builder = match &files.client_ca {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let bad =
                |error: &dyn std::fmt::Display| wrong("--client-ca", path, &error.to_string());
            let mut roots = RootCertStore::empty();
            for certificate in certificates("--client-ca", path)? {
                roots.add(certificate).map_err(|error| bad(&error))?;
            }
            let asks = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(asks.build().map_err(|error| bad(&error))?)
        }
    };
    let mut config = builder.with_single_cert(chain, key).map_err(|error| match error {
        Error::InconsistentKeys(_) => {
            let other = files.cert.display();
            wrong("--tls-key", &files.key, &format!("it is not the key of `{other}`"))
        }
        other => wrong("--tls-cert", &files.cert, &other.to_string()),
    })?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(option: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>, Problem> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let found: Vec<_> =
        read.map_err(|error: pem::Error| wrong(option, path, &error.to_string()))?;
    match found.is_empty() {
        true => Err(wrong(option, path, "it has no certificate in PEM")),
        false => Ok(found),
    }
}

/// A certificate that is not valid now would be refused by every client; one that ends soon is warned
/// of.
fn in_time(
    chain: &[CertificateDer<'_>],
    path: &Path,
    provider: &CryptoProvider,
) -> Result<(), Problem> {
    let unusable = |error: Error| wrong("--tls-cert", path, &error.to_string());
    let Some(first) = chain.first() else { return Ok(()) };
    let parsed = ParsedCertificate::try_from(first).map_err(unusable)?;
    // Nobody is trusted: what is told is whether the certificate itself holds, which is looked at
    // before who vouches for it.
    let (nobody, known) = (RootCertStore::empty(), provider.signature_verification_algorithms.all);
    let at = |now| verify_server_cert_signed_by_trust_anchor(&parsed, &nobody, &[], now, known);
    let not_in_time = |checked: Result<(), Error>| match checked {
        Err(Error::InvalidCertificate(
            why @ (CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. }),
        )) => Some(why),
        _ => None,
    };
    let now = UnixTime::now();
    if let Some(why) = not_in_time(at(now)) {
        let why = format!("{why}; put a new certificate there, or set this machine's clock");
        return Err(wrong("--tls-cert", path, &why));
    }
    let soon = UnixTime::since_unix_epoch(Duration::from_secs(now.as_secs()) + SOON);
    if let Some(why) = not_in_time(at(soon)) {
        tracing::warn!("the certificate in `{}` ends within 14 days: {why}", path.display());
    }
    Ok(())
}

fn wrong(option: &str, path: &Path, why: &str) -> Problem {
    let detail = format!("{option} `{}`: {why}", path.display());
    Problem::new(Code::RequestInvalid, detail)
}
