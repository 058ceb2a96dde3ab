//! A verb's token and certificate, and the authorities that it trusts.

use std::path::{Path, PathBuf};

use clap::Args;
use leafid_store::problem::Problem;
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig};

use super::invalid;
use crate::http::tls::{self, wrong};

/// The variable with the token, for applications and for this program.
pub const TOKEN: &str = "LEAFID_TOKEN";

#[derive(Args, Clone, Debug, Default)]
pub struct Credentials {
    /// A file with the token to show the server [default: the token in LEAFID_TOKEN, if any]
    #[arg(long, env = "LEAFID_TOKEN_FILE", value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Authorities in PEM of which one must have signed the server's certificate [default: the public
    /// ones]
    #[arg(long, env = "LEAFID_CA", value_name = "FILE")]
    ca: Option<PathBuf>,
    /// A certificate in PEM to show the server, where it asks for one
    #[arg(long, env = "LEAFID_CERT", value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// The certificate's key, in PEM
    #[arg(long, env = "LEAFID_KEY", value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
}

impl Credentials {
    pub fn token(&self) -> Result<Option<String>, Problem> {
        let (from, token) = match &self.token_file {
            Some(path) => {
                let bytes = read("--token-file", path)?;
                let text = String::from_utf8_lossy(&bytes).trim().to_owned();
                (format!("--token-file `{}`", path.display()), text)
            }
            None => match std::env::var(TOKEN).ok().filter(|token| !token.is_empty()) {
                Some(token) => (TOKEN.to_owned(), token),
                None => return Ok(None),
            },
        };
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            let detail = format!("{from}: a token has printable ASCII characters, and no spaces");
            return Err(invalid(detail));
        }
        Ok(Some(token))
    }

    pub fn tls(&self) -> Result<TlsConfig, Problem> {
        let roots = match &self.ca {
            None => RootCerts::WebPki,
            Some(path) => RootCerts::new_with_certs(&certificates("--ca", path)?),
        };
        let shown = match self.cert.as_ref().zip(self.key.as_ref()) {
            None => None,
            Some((cert, key)) => {
                let chain = certificates("--cert", cert)?;
                let text = read("--key", key)?;
                let key = PrivateKey::from_pem(&text)
                    .map_err(|_| wrong("--key", key, "it has no private key in PEM"))?;
                Some(ClientCert::new_with_certs(&chain, key))
            }
        };
        Ok(TlsConfig::builder().root_certs(roots).client_cert(shown).build())
    }
}

fn certificates(option: &str, path: &Path) -> Result<Vec<Certificate<'static>>, Problem> {
    let found = tls::certificates(option, path)?;
    Ok(found.iter().map(|found| Certificate::from_der(found).to_owned()).collect())
}

fn read(option: &str, path: &Path) -> Result<Vec<u8>, Problem> {
    std::fs::read(path).map_err(|error| wrong(option, path, &error.to_string()))
}
