//! What a server is shown, and whom it must be vouched for by.

use std::path::{Path, PathBuf};

use leafid_core::Code;
use ureq::config::ConfigBuilder;
use ureq::typestate::AgentScope;

use crate::client::Failed;

/// Who asks, and whom to believe, as a caller or the environment says.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Credentials {
    pub token: Option<String>,
    pub ca: Option<PathBuf>,
    pub cert: Option<PathBuf>,
    pub key: Option<PathBuf>,
}

impl Credentials {
    /// The same, with what is not given from `LEAFID_TOKEN`, `LEAFID_CA`, `LEAFID_CERT` and
    /// `LEAFID_KEY`.
    pub fn or_environment(self) -> Credentials {
        let text = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let path = |name| text(name).map(PathBuf::from);
        // A key belongs to its certificate: both are from one place.
        let (cert, key) = match (self.cert, self.key) {
            (None, None) => (path("LEAFID_CERT"), path("LEAFID_KEY")),
            given => given,
        };
        let token = self.token.or_else(|| text("LEAFID_TOKEN"));
        Credentials { token, ca: self.ca.or_else(|| path("LEAFID_CA")), cert, key }
    }
}

/// Whom a connection believes, and what it shows; nothing more where it is not said.
#[derive(Default)]
pub struct Trust {
    #[cfg(feature = "tls")]
    config: Option<ureq::tls::TlsConfig>,
}

impl Trust {
    /// Reads these files, once.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a file that cannot be used, and for a certificate without its key.
    pub fn read(
        ca: Option<PathBuf>,
        cert: Option<PathBuf>,
        key: Option<PathBuf>,
    ) -> Result<Trust, Failed> {
        let shown = match (&cert, &key) {
            (Some(cert), Some(key)) => Some((cert, key)),
            (None, None) if ca.is_none() => return Ok(Trust::default()),
            (None, None) => None,
            _ => {
                let message = "`cert` and `key` belong together: give both, or neither";
                return Err(Failed::new(Code::RequestInvalid, message));
            }
        };
        with(ca.as_deref(), shown)
    }

    /// A connection's settings, with these.
    pub fn on(&self, config: ConfigBuilder<AgentScope>) -> ConfigBuilder<AgentScope> {
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.config {
            return config.tls_config(tls.clone());
        }
        config
    }
}

#[cfg(feature = "tls")]
fn with(ca: Option<&Path>, shown: Option<(&PathBuf, &PathBuf)>) -> Result<Trust, Failed> {
    use ureq::tls::{ClientCert, PrivateKey, RootCerts, TlsConfig};
    let mut config = TlsConfig::builder();
    if let Some(ca) = ca {
        config = config.root_certs(RootCerts::new_with_certs(&certificates("ca", ca)?));
    }
    if let Some((cert, path)) = shown {
        let key = PrivateKey::from_pem(&bytes("key", path)?)
            .map_err(|_| unusable("key", path, "it has no private key in PEM"))?;
        let chain = certificates("cert", cert)?;
        config = config.client_cert(Some(ClientCert::new_with_certs(&chain, key)));
    }
    Ok(Trust { config: Some(config.build()) })
}

#[cfg(not(feature = "tls"))]
fn with(_: Option<&Path>, _: Option<(&PathBuf, &PathBuf)>) -> Result<Trust, Failed> {
    let message = "`ca`, `cert` and `key` need TLS, which this build does not have";
    Err(Failed::new(Code::RequestInvalid, message))
}

#[cfg(feature = "tls")]
fn certificates(name: &str, path: &Path) -> Result<Vec<ureq::tls::Certificate<'static>>, Failed> {
    use ureq::tls::{PemItem, parse_pem};
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

#[cfg(feature = "tls")]
fn bytes(name: &str, path: &Path) -> Result<Vec<u8>, Failed> {
    std::fs::read(path).map_err(|error| unusable(name, path, &error.to_string()))
}

#[cfg(feature = "tls")]
fn unusable(name: &str, path: &Path, why: &str) -> Failed {
    let path = path.display().to_string();
    let message = format!("`{name}`, the file `{}`: {why}", crate::client::stores::shown(&path));
    Failed::new(Code::RequestInvalid, message)
}
