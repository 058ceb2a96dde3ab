//! A server with tokens, with certificates, and a client that shows what it is told to.

use std::path::{Path, PathBuf};
use std::process::Command;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use serde_json::Value;
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig};

use crate::support::{LEAFID, LIMIT, Serving, output};

/// A folder with a store, a token file and certificates.
pub struct Secured {
    pub folder: tempfile::TempDir,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Secured {
    /// A store with the tags `orders` and `shop:1` and the namespace `edge`, and a certificate.
    pub fn new() -> Secured {
        let folder = tempfile::tempdir().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let this = Secured { folder, issuer };
        let store = this.path("store.db");
        for args in [
            &["init"][..],
            &["tag", "create", "orders", "--step", "100"],
            &["tag", "create", "shop:1", "--step", "10"],
            &["namespace", "create", "edge", "--layout", "edge"],
        ] {
            let said = output(Command::new(LEAFID).args(args).arg("--store").arg(&store));
            assert!(said.status.success(), "{args:?}: {said:?}");
        }
        this.write("ca.pem", &this.issuer.pem());
        this.certify("cert.pem", "key.pem", (2020, 2090));
        this
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        // As a whole: a server that looks sees the old one or the new one.
        let new = self.path(&format!("{name}.new"));
        std::fs::write(&new, text).unwrap();
        std::fs::rename(&new, self.path(name)).unwrap();
    }

    /// A certificate for this machine, valid from one year to another, and its key.
    pub fn certify(&self, cert: &str, key: &str, years: (i32, i32)) {
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let mut params = CertificateParams::new(names).unwrap();
        params.not_before = date_time_ymd(years.0, 1, 1);
        params.not_after = date_time_ymd(years.1, 1, 1);
        let pair = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&pair, &self.issuer).unwrap();
        self.write(key, &pair.serialize_pem());
        self.write(cert, &certificate.pem());
    }

    /// A token of a principal, made by the command.
    pub fn token(&self, args: &[&str]) -> String {
        let said = output(self.leafid("token").arg("create").args(args));
        assert!(said.status.success(), "{args:?}: {said:?}");
        String::from_utf8(said.stdout).unwrap().trim().to_owned()
    }

    /// A token of a principal with these limits in the file.
    pub fn limited(&self, name: &str, limits: &str) -> String {
        let token = self.token(&[name]);
        let text = std::fs::read_to_string(self.path("tokens.toml")).unwrap();
        assert!(text.contains("workers = 16\n"), "{text}");
        self.write("tokens.toml", &text.replace("workers = 16\n", limits));
        #[cfg(unix)]
        set_mode(&self.path("tokens.toml"), 0o600);
        token
    }

    /// A verb, with the token file named.
    pub fn leafid(&self, verb: &str) -> Command {
        let mut command = Command::new(LEAFID);
        command.arg(verb).env("LEAFID_TOKENS", self.path("tokens.toml"));
        command.env_remove("LEAFID_TOKEN").env_remove("LEAFID_STORE");
        command
    }

    /// A server that asks for tokens.
    pub fn serve(&self, options: &[&str]) -> Serving {
        let mut command = self.leafid("serve");
        command.arg("--store").arg(self.path("store.db"));
        Serving::spawn(command.args(["--listen", "127.0.0.1:0"]).args(options))
    }

    /// A server that asks for tokens and speaks TLS.
    pub fn serve_tls(&self, options: &[&str]) -> Serving {
        let [cert, key] = ["cert.pem", "key.pem"].map(|name| self.text(name));
        self.serve(&[&["--tls-cert", &cert, "--tls-key", &key], options].concat())
    }

    pub fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// A client that believes this authority alone, and may show a certificate.
    pub fn agent(&self, shown: Option<(&str, &str)>) -> ureq::Agent {
        let pem = |name: &str| std::fs::read(self.path(name)).unwrap();
        let ca = Certificate::from_pem(&pem("ca.pem")).unwrap();
        let shown = shown.map(|(cert, key)| {
            let cert = Certificate::from_pem(&pem(cert)).unwrap();
            ClientCert::new_with_certs(&[cert], PrivateKey::from_pem(&pem(key)).unwrap())
        });
        let tls = TlsConfig::builder().root_certs(RootCerts::new_with_certs(&[ca]));
        ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(LIMIT))
            .proxy(None)
            .tls_config(tls.client_cert(shown).build())
            .build()
            .new_agent()
    }
}

/// One request with this token; status, headers and body of the answer.
pub fn ask(
    agent: &ureq::Agent,
    token: Option<&str>,
    method: &str,
    url: &str,
    body: &Value,
) -> Result<(u16, ureq::http::HeaderMap, Value), ureq::Error> {
    let mut request = ureq::http::Request::builder().method(method).uri(url);
    request = request.header("content-type", "application/json");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let mut answer = agent.run(request.body(body).unwrap())?;
    let text = answer.body_mut().read_to_string()?;
    let json = serde_json::from_str(&text).unwrap_or(Value::Null);
    Ok((answer.status().as_u16(), answer.headers().clone(), json))
}

/// The mode of a file.
#[cfg(unix)]
pub fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}
