//! TLS to a database: which certificates are trusted, and advice where that fails.

use std::path::Path;
use std::sync::Arc;

use leafid_core::Code;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

#[cfg(feature = "sql")]
use super::address::Options;
use crate::problem::Problem;

/// The TLS settings that a URL asks for. Each file comes with the name of its option, for messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// The trusted authorities, in PEM; the public ones if `None`.
    pub authorities: Option<(&'a str, &'a Path)>,
    pub any_name: bool,
    pub own: Option<[(&'a str, &'a Path); 2]>,
}

#[cfg(feature = "sql")]
impl<'a> Asked<'a> {
    /// Reads the options with these names: the mode, the authorities, our certificate and its key.
    /// `any_name` tells whether a mode accepts a certificate for any name, `None` for no TLS; `strict` is
    /// the option to recommend for TLS.
    ///
    /// # Errors
    /// The fault of the options.
    pub fn of(
        options: &'a Options,
        [mode, authorities, certificate, key]: [&'a str; 4],
        strict: &str,
        any_name: impl FnOnce(Option<&str>) -> Result<Option<bool>, &'static str>,
    ) -> Result<Option<Asked<'a>>, String> {
        let file = |name: &'a str| options.get(name).map(|path| (name, Path::new(path)));
        let any_name = any_name(options.get(mode).map(String::as_str))?;
        let (authorities, own) = (file(authorities), (file(certificate), file(key)));
        let Some(any_name) = any_name else {
            return match authorities.or(own.0).or(own.1) {
                Some(_) => {
                    Err(format!("it names certificates, and does not ask for TLS: add `{strict}`"))
                }
                None => Ok(None),
            };
        };
        let own = match own {
            (Some(certificate), Some(key)) => Some([certificate, key]),
            (None, None) => None,
            _ => return Err(format!("`{certificate}` and `{key}` belong together")),
        };
        Ok(Some(Asked { authorities, any_name, own }))
    }
}

/// Makes the TLS configuration.
///
/// # Errors
/// `REQUEST_INVALID` for a file without what it should contain.
pub fn client(asked: &Asked<'_>) -> Result<ClientConfig, Problem> {
    let internal = |error: Error| Problem::new(Code::Internal, format!("no TLS: {error}"));
    let provider = Arc::new(ring::default_provider());
    let roots = Arc::new(roots(asked.authorities)?);
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(internal)?;
    let config = if asked.any_name {
        let verifier = AnyName::over(roots, provider)?;
        config.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
    } else {
        config.with_root_certificates(roots)
    };
    let Some([(option, path), key]) = asked.own else { return Ok(config.with_no_client_auth()) };
    let certificates = certificates(option, path)?;
    let (option, path) = key;
    let unfit = |why: String| unfit(option, path, &why);
    let key = PrivateKeyDer::from_pem_file(path).map_err(|error| unfit(error.to_string()))?;
    config.with_client_auth_cert(certificates, key).map_err(|error| unfit(error.to_string()))
}

fn roots(authorities: Option<(&str, &Path)>) -> Result<RootCertStore, Problem> {
    let mut roots = RootCertStore::empty();
    match authorities {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some((option, path)) => {
            for certificate in certificates(option, path)? {
                let added = roots.add(certificate);
                added.map_err(|error| unfit(option, path, &error.to_string()))?;
            }
        }
    }
    Ok(roots)
}

fn certificates(option: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>, Problem> {
    let unfit = |why: &str| unfit(option, path, why);
    let file = CertificateDer::pem_file_iter(path).map_err(|error| unfit(&error.to_string()))?;
    let all: Result<Vec<_>, _> = file.collect();
    let all = all.map_err(|error| unfit(&error.to_string()))?;
    if all.is_empty() { Err(unfit("it has no certificate")) } else { Ok(all) }
}

fn unfit(option: &str, path: &Path, why: &str) -> Problem {
    let detail = format!("`{option}={}`: {why}; name a file in PEM", path.display());
    Problem::new(Code::RequestInvalid, detail)
}

/// The TLS failure in an error's chain, if there is one that no later try will change.
pub fn failure<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(failure) = error.downcast_ref::<Error>() {
            let is_lasting =
                matches!(failure, Error::InvalidCertificate(_) | Error::AlertReceived(_));
            return is_lasting.then_some(failure);
        }
        next = match error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

/// Describes a failure and its cure: `authorities` is the option for a file of authorities, `any_name` the
/// option, if there is one, that accepts a certificate for another name.
pub fn advice(failure: &Error, authorities: &str, any_name: Option<&str>) -> String {
    let cure = match failure {
        Error::InvalidCertificate(
            CertificateError::UnknownIssuer | CertificateError::BadSignature,
        ) => {
            format!("; name the file of the authority that signed it: {authorities}")
        }
        Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => {
            let pass = any_name.map(|option| format!(", or let any name pass: {option}"));
            format!("; connect by a name that is in it{}", pass.unwrap_or_default())
        }
        _ => String::new(),
    };
    format!("{failure}{cure}")
}

/// Verifies who signed a certificate, but not the name in it.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl AnyName {
    fn over(roots: Arc<RootCertStore>, provider: Arc<CryptoProvider>) -> Result<AnyName, Problem> {
        let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider).build();
        let verifier = verifier.map_err(|error| {
            Problem::new(Code::Internal, format!("certificates cannot be looked at: {error}"))
        })?;
        Ok(AnyName(verifier))
    }
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        // The name is checked last, so everything else is valid here.
        match self.0.verify_server_cert(certificate, between, name, ocsp, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
