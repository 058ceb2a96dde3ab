//! Credentials for a server: token, client certificate, and the authorities to trust.

use std::path::{Path, PathBuf};

use leafid_core::Code;
use ureq::tls::{Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, parse_pem};

use crate::Error;

/// The credentials that a caller or the environment gives: [`Store::http`](crate::Store::http).
///
/// ```
/// use leafid::Credentials;
///
/// let mine = Credentials {
///     token: Some("the-token".to_owned()),
///     ca: Some("/etc/leafid/ca.pem".into()),
///     ..Default::default()
/// };
/// assert!(mine.cert.is_none() && mine.key.is_none());
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Credentials {
    /// The bearer token: printable ASCII characters without spaces.
    pub token: Option<String>,
    /// A file in PEM with the authorities to trust, in place of the public ones.
    pub ca: Option<PathBuf>,
    /// A file in PEM with this client's certificate, and those between it and the authority.
    pub cert: Option<PathBuf>,
    /// A file in PEM with the certificate's private key.
    pub key: Option<PathBuf>,
}

impl Credentials {
    /// Fills in what is missing from `LEAFID_TOKEN`, `LEAFID_CA`, `LEAFID_CERT` and `LEAFID_KEY`, as
    /// [`Store::http`](crate::Store::http) does. Certificate and key come from one place.
    ///
    /// ```
    /// # unsafe { std::env::set_var("LEAFID_TOKEN", "the-token") };
    /// let mine = leafid::Credentials::default().or_environment();
    /// assert_eq!(mine.token.as_deref(), Some("the-token"));
    /// ```
    pub fn or_environment(self) -> Credentials {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let path = |name| set(name).map(PathBuf::from);
        // A key belongs to its certificate: both come from one place.
        let (cert, key) = match (self.cert, self.key) {
            (None, None) => (path("LEAFID_CERT"), path("LEAFID_KEY")),
            given => given,
        };
        // A value that is not UTF-8 is kept, so that it is refused as a token; it does not count as unset.
        let token = set("LEAFID_TOKEN").map(|token| token.to_string_lossy().into_owned());
        let token = self.token.or(token);
        Credentials { token, ca: self.ca.or_else(|| path("LEAFID_CA")), cert, key }
    }
}

/// The TLS configuration of a connection, read from these files; `None` without a file.
///
/// # Errors
/// `REQUEST_INVALID` for a file that cannot be used, and for a certificate without its key.
pub fn tls(
    ca: Option<PathBuf>,
    cert: Option<PathBuf>,
    key: Option<PathBuf>,
) -> Result<Option<TlsConfig>, Error> {
    let mut config = TlsConfig::builder();
    if let Some(ca) = &ca {
        config = config.root_certs(RootCerts::new_with_certs(&certificates("ca", ca)?));
    }
    match (&cert, &key) {
        (None, None) if ca.is_none() => return Ok(None),
        (None, None) => {}
        (Some(cert), Some(path)) => {
            let key = PrivateKey::from_pem(&bytes("key", path)?)
                .map_err(|_| unusable("key", path, "it has no private key in PEM"))?;
            let chain = certificates("cert", cert)?;
            config = config.client_cert(Some(ClientCert::new_with_certs(&chain, key)));
        }
        _ => {
            let message = "`cert` and `key` belong together: give both, or neither";
            return Err(Error::new(Code::RequestInvalid, message));
        }
    }
    Ok(Some(config.build()))
}

fn certificates(name: &str, path: &Path) -> Result<Vec<Certificate<'static>>, Error> {
    let mut found = Vec::new();
    for item in parse_pem(&bytes(name, path)?) {
        let item = item.map_err(|error| unusable(name, path, &error.to_string()))?;
        if let PemItem::Certificate(certificate) = item {
            found.push(certificate);
        }
    }
    match found.is_empty() {
        true => Err(unusable(name, path, "it has no certificate in PEM")),
        false => Ok(found),
    }
}

fn bytes(name: &str, path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|error| unusable(name, path, &error.to_string()))
}

fn unusable(name: &str, path: &Path, why: &str) -> Error {
    let path = path.display().to_string();
    let message = format!("`{name}`, the file `{}`: {why}", crate::stores::shown(&path));
    Error::new(Code::RequestInvalid, message)
}
