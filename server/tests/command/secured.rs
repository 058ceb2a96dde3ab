//! A server with tokens and certificates, and a client that may present its own certificate.

use std::ops::Deref;
use std::process::Command;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig};

use crate::support::{Home, LEAFID, LIMIT, Serving, does, play, set_mode};

pub struct Secured {
    home: Home,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Deref for Secured {
    type Target = Home;

    fn deref(&self) -> &Home {
        &self.home
    }
}

const FILLED: &str = "
tag create orders --step 100 => created
tag create shop:1 --step 10 => created
namespace create edge --layout edge => `edge`
";

impl Secured {
    /// A store with the tags `orders` and `shop:1` and the namespace `edge`, and a certificate.
    pub fn new() -> Secured {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let this = Secured { home: Home::with_store(), issuer };
        play(&this.store, FILLED);
        this.write("ca.pem", &this.issuer.pem());
        this.certify("cert.pem", "key.pem", (2020, 2090));
        this
    }

    pub fn write(&self, name: &str, text: &str) {
        // By a rename: a server that reads the file sees the old or the new one, never half.
        let new = self.home.write(&format!("{name}.new"), text);
        std::fs::rename(new, self.at(name)).unwrap();
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

    pub fn token(&self, args: &[&str]) -> String {
        does(self.leafid("token").arg("create").args(args)).trim().to_owned()
    }

    /// A token of a principal with these limits in the file.
    pub fn limited(&self, name: &str, limits: &str) -> String {
        let token = self.token(&[name]);
        let text = std::fs::read_to_string(self.at("tokens.toml")).unwrap();
        assert!(text.contains("workers = 16\n"), "{text}");
        self.write("tokens.toml", &text.replace("workers = 16\n", limits));
        set_mode(self.at("tokens.toml"), 0o600);
        token
    }

    /// A command that runs `verb` with the token file.
    pub fn leafid(&self, verb: &str) -> Command {
        let mut command = Command::new(LEAFID);
        command.arg(verb).env("LEAFID_TOKENS", self.at("tokens.toml"));
        command.env_remove("LEAFID_TOKEN").env_remove("LEAFID_STORE");
        command
    }

    pub fn serve(&self, options: &[&str]) -> Serving {
        let mut command = self.leafid("serve");
        command.args(["--store", &self.store, "--listen", "127.0.0.1:0"]);
        Serving::spawn(command.args(options))
    }

    pub fn serve_tls(&self, options: &[&str]) -> Serving {
        let [cert, key] = ["cert.pem", "key.pem"].map(|name| self.at(name));
        self.serve(&[&["--tls-cert", &cert, "--tls-key", &key], options].concat())
    }

    /// A client that trusts only this authority, and may present a certificate.
    pub fn agent(&self, shown: Option<(&str, &str)>) -> ureq::Agent {
        let pem = |name: &str| std::fs::read(self.at(name)).unwrap();
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
