//! TLS for addresses that other machines reach. The files of the certificate and its key may change while
//! the server runs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use leafid_core::{Code, StoreTime};
use leafid_store::problem::Problem;
use leafid_store::utc;
use tokio_rustls::rustls::client::verify_server_cert_signed_by_trust_anchor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime, pem};
use tokio_rustls::rustls::server::{ParsedCertificate, WebPkiClientVerifier};
use tokio_rustls::rustls::{CertificateError, Error, RootCertStore, ServerConfig};

use crate::access::fresh::Fresh;

/// How long before its end a certificate is warned about.
const SOON: Duration = Duration::from_secs(14 * 86_400);
/// How often that warning is repeated.
const AGAIN: Duration = Duration::from_secs(6 * 3_600);

#[derive(Clone, Debug)]
pub struct Files {
    pub cert: PathBuf,
    pub key: PathBuf,
    /// Authorities in PEM, if clients must show a certificate of one of them.
    pub client_ca: Option<PathBuf>,
}

#[derive(Debug)]
pub struct Tls {
    files: Files,
    current: Fresh<Current>,
    looked: Mutex<UnixTime>,
}

#[derive(Debug)]
struct Current {
    config: Arc<ServerConfig>,
    certificate: CertificateDer<'static>,
}

impl Tls {
    /// Reads the files.
    pub fn open(files: Files) -> Result<Tls, Problem> {
        let paths = [Some(&files.cert), Some(&files.key), files.client_ca.as_ref()];
        let current = Fresh::open(paths.into_iter().flatten().cloned(), || read(&files))?;
        Ok(Tls { files, current, looked: Mutex::new(UnixTime::now()) })
    }

    /// As [`Fresh::reload`]; open connections keep the certificate that they began with.
    pub fn reload(&self, in_any_case: bool) -> Result<bool, Problem> {
        self.current.reload(in_any_case, || read(&self.files))
    }

    /// Whether the certificate in use has ended or ends soon; given again only some time after it was given
    /// last. A file that never changes would not show it otherwise.
    pub fn ends(&self, now: UnixTime) -> Option<Ends> {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if now.as_secs() < looked.as_secs().saturating_add(AGAIN.as_secs()) {
            return None;
        }
        *looked = now;
        match ends(&self.current.current().certificate, now).ok()?? {
            Ends::Now(why) => Some(Ends::Now(format!("clients refuse the certificate: {why}"))),
            soon => Some(soon),
        }
    }

    pub fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.current.current().config)
    }
}

fn read(files: &Files) -> Result<Current, Problem> {
    let chain = certificates("--tls-cert", &files.cert)?;
    let certificate = chain.first().cloned().unwrap_or_else(|| Vec::new().into());
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| match error {
        pem::Error::NoItemsFound => wrong("--tls-key", &files.key, "it has no private key in PEM"),
        other => wrong("--tls-key", &files.key, &other.to_string()),
    })?;
    let provider = Arc::new(ring::default_provider());
    in_time(&certificate, &files.cert)?;
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
    Ok(Current { config: Arc::new(config), certificate })
}

pub fn certificates(option: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>, Problem> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let found: Vec<_> =
        read.map_err(|error: pem::Error| wrong(option, path, &error.to_string()))?;
    match found.is_empty() {
        true => Err(wrong(option, path, "it has no certificate in PEM")),
        false => Ok(found),
    }
}

/// Refuses a certificate that is not valid now, as every client would; warns about one that ends soon.
fn in_time(certificate: &CertificateDer<'_>, path: &Path) -> Result<(), Problem> {
    let unusable = |error: Error| wrong("--tls-cert", path, &error.to_string());
    match ends(certificate, UnixTime::now()).map_err(unusable)? {
        Some(Ends::Now(why)) => {
            let why = format!("{why}; put a new certificate there, or set this machine's clock");
            return Err(wrong("--tls-cert", path, &why));
        }
        Some(Ends::Soon(soon)) => tracing::warn!("`{}`: {soon}", path.display()),
        None => {}
    }
    Ok(())
}

#[derive(Clone, Debug, PartialEq)]
pub enum Ends {
    /// Why clients refuse it.
    Now(String),
    /// When it ends.
    Soon(String),
}

fn ends(certificate: &CertificateDer<'_>, now: UnixTime) -> Result<Option<Ends>, Error> {
    let parsed = ParsedCertificate::try_from(certificate)?;
    // No authority is trusted: the verifier looks at the certificate itself before its issuer, and only
    // that verdict counts here.
    let (nobody, provider) = (RootCertStore::empty(), ring::default_provider());
    let known = provider.signature_verification_algorithms.all;
    let not_at =
        |now| match verify_server_cert_signed_by_trust_anchor(&parsed, &nobody, &[], now, known) {
            Err(Error::InvalidCertificate(
                why @ (CertificateError::Expired
                | CertificateError::ExpiredContext { .. }
                | CertificateError::NotValidYet
                | CertificateError::NotValidYetContext { .. }),
            )) => Some(why),
            _ => None,
        };
    let soon = UnixTime::since_unix_epoch(Duration::from_secs(now.as_secs()) + SOON);
    Ok(match (not_at(now), not_at(soon)) {
        (Some(why), _) => Some(Ends::Now(why.to_string())),
        (None, Some(CertificateError::ExpiredContext { not_after, .. })) => {
            let seconds = i64::try_from(not_after.as_secs()).unwrap_or(i64::MAX / 1_000);
            let end = utc::text(StoreTime::new(seconds.saturating_mul(1_000)));
            Some(Ends::Soon(format!("the certificate ends within 14 days, at {end}")))
        }
        (None, why) => why.map(|_| Ends::Soon("the certificate ends within 14 days".to_owned())),
    })
}

pub fn wrong(option: &str, path: &Path, why: &str) -> Problem {
    let detail = format!("{option} `{}`: {why}", path.display());
    Problem::new(Code::RequestInvalid, detail)
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    const DAY: u64 = 86_400;
    /// The first of January 2090.
    const END: u64 = 3_786_912_000;

    fn at(seconds: u64) -> UnixTime {
        UnixTime::since_unix_epoch(Duration::from_secs(seconds))
    }

    /// The file does not change, so no reload would warn of its end.
    #[test]
    fn a_certificate_that_ends_is_told_of_while_it_is_in_use() {
        let folder = tempfile::tempdir().unwrap();
        let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.path().join(name));
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2090, 1, 1);
        let pair = KeyPair::generate().unwrap();
        std::fs::write(&key, pair.serialize_pem()).unwrap();
        std::fs::write(&cert, params.self_signed(&pair).unwrap().pem()).unwrap();
        let tls = Tls::open(Files { cert, key, client_ca: None }).unwrap();
        assert_eq!(tls.ends(at(END - 15 * DAY)), None);
        let told = "the certificate ends within 14 days, at 2090-01-01T00:00:00.000Z";
        assert_eq!(tls.ends(at(END - 13 * DAY)), Some(Ends::Soon(told.to_owned())));
        assert_eq!(tls.ends(at(END - 13 * DAY + 60)), None, "it was told a minute ago");
        assert!(matches!(tls.ends(at(END - 12 * DAY)), Some(Ends::Soon(_))));
        let now = tls.ends(at(END + DAY));
        assert!(
            matches!(&now, Some(Ends::Now(why)) if why.contains("clients refuse the certificate")),
            "{now:?}"
        );
    }
}
