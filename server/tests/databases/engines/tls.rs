//! TLS to PostgreSQL and MariaDB, with the options of their own clients: a bad certificate is refused with
//! its reason and a remedy.

use leafid_servers::{Databases, Mariadb, Postgres, Server, for_test};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair,
};

use crate::support::{Home, says};
use crate::{SERVE, is_refused, lets_in};

const HERE: &str = "127.0.0.1";

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new(name: &str) -> Authority {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        Authority(CertifiedIssuer::self_signed(params, key).expect("a certificate"))
    }

    /// Issues a certificate, with its key, for a server or a user of this name.
    fn certify(&self, name: &str, purpose: ExtendedKeyUsagePurpose) -> [String; 2] {
        let mut params = CertificateParams::new([name.to_owned()]).expect("a name");
        params.distinguished_name.push(DnType::CommonName, name);
        params.extended_key_usages = vec![purpose];
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.0).expect("a certificate");
        [certificate.pem(), key.serialize_pem()]
    }

    fn server(&self, name: &str) -> [String; 2] {
        self.certify(name, ExtendedKeyUsagePurpose::ServerAuth)
    }
}

/// A folder, an authority, and the certificate files of that authority and of another.
fn authorities() -> (Home, Authority, [String; 2]) {
    let (home, ours) = (Home::new(), Authority::new("ours"));
    let files = [("ca.pem", &ours), ("other.pem", &Authority::new("theirs"))]
        .map(|(name, authority)| home.write(name, &authority.0.pem()));
    (home, ours, files)
}

#[test]
fn postgres_is_spoken_to_by_tls_if_its_certificate_is_known() {
    let Some(mut server) = for_test::<Postgres>() else { return };
    let user = "CREATE USER ids PASSWORD 's3cret' SUPERUSER";
    server.run("postgres", user).expect("a user");
    let (home, ours, [ca, other]) = authorities();
    let url = format!("postgres://ids:s3cret@{HERE}:{}/postgres", server.port());
    let by = |mode: &str, ca: &str| format!("{url}?sslmode={mode}&sslrootcert={ca}");
    let put = |server: &Postgres, [certificate, key]: [String; 2]| {
        for (name, text) in [("server.crt", certificate), ("server.key", key)] {
            server.put(name, &text).expect("a file");
        }
    };

    // The database has no certificate, so it speaks no TLS.
    is_refused(&by("require", &ca), &SERVE, &["speaks no TLS", "ssl"]);

    put(&server, ours.server(HERE));
    server.put("users.crt", &ours.0.pem()).expect("a file");
    let rules = "hostssl all leafid 127.0.0.1/32 trust\n\
                 hostssl shop all 127.0.0.1/32 cert\n\
                 hostssl all all 127.0.0.1/32 scram-sha-256\n";
    server.host_rules(rules).expect("a file");
    server.stop().expect("it ends");
    let settings = ["ssl=on", "ssl_ca_file=users.crt"];
    server.start_again_with(&settings).expect("it takes the settings");
    // Channel binding ties the password to this connection, which no man in the middle can do.
    let good = format!("{}&channel_binding=require", by("verify-full", &ca));
    says(&good, &["init"]);
    says(&good, &["tag", "create", "orders"]);
    lets_in(&good, "s3cret");
    lets_in(&by("require", &ca), "s3cret");
    // The control: without TLS no connection is accepted.
    is_refused(&url, &SERVE, &["does not let this server in", "no encryption"]);
    // Another authority is not trusted; by default the public ones are.
    for unknown in [by("verify-full", &other), by("verify-ca", &other), by("require", "system")] {
        is_refused(&unknown, &SERVE, &["UnknownIssuer", "sslrootcert=FILE"]);
    }
    is_refused(&format!("{url}?sslmode=require"), &SERVE, &["UnknownIssuer", "sslrootcert=FILE"]);

    // A user that may log in by certificate alone presents one.
    server.fresh("shop");
    let [certificate, key] = ours.certify("ids", ExtendedKeyUsagePurpose::ClientAuth);
    let (certificate, key) = (home.write("ids.pem", &certificate), home.write("ids-key.pem", &key));
    let shop = by("verify-full", &ca).replace("/postgres?", "/shop?");
    says(&format!("{shop}&sslcert={certificate}&sslkey={key}"), &["init"]);
    is_refused(&shop, &SERVE, &["valid client certificate"]);

    put(&server, ours.server("db.example"));
    server.stop().expect("it ends");
    server.start_again_with(&settings).expect("it takes the settings");
    for mode in ["verify-full", "require"] {
        is_refused(
            &by(mode, &ca),
            &SERVE,
            &["not valid for name", "db.example", "sslmode=verify-ca"],
        );
    }
    lets_in(&by("verify-ca", &ca), "s3cret");
    is_refused(&by("verify-ca", &other), &SERVE, &["UnknownIssuer"]);
    // An authority that only has the same name as ours.
    let imitated = home.write("imitated.pem", &Authority::new("ours").0.pem());
    is_refused(&by("verify-ca", &imitated), &SERVE, &["BadSignature", "sslrootcert=FILE"]);
}

#[test]
fn mariadb_is_spoken_to_by_tls_if_its_certificate_is_known() {
    let Some(mut server) = for_test::<Mariadb>() else { return };
    for statement in [
        "CREATE USER ids IDENTIFIED BY 's3cret' REQUIRE SSL",
        "GRANT ALL ON leafid.* TO ids",
        "CREATE USER shop IDENTIFIED BY 's3cret' REQUIRE X509",
        "GRANT ALL ON leafid.* TO shop",
    ] {
        server.run("leafid", statement).expect("a user");
    }
    let (home, ours, [ca, other]) = authorities();
    let url = format!("mysql://ids:s3cret@{HERE}:{}/leafid", server.port());
    let by = |mode: &str, ca: &str| format!("{url}?ssl-mode={mode}&ssl-ca={ca}");

    is_refused(&by("REQUIRED", &ca), &SERVE, &["speaks no TLS"]);

    let shows = |server: &mut Mariadb, name: &str| {
        let [certificate, key] = ours.server(name);
        let settings = [
            format!("ssl-cert={}", home.write("cert.pem", &certificate)),
            format!("ssl-key={}", home.write("key.pem", &key)),
            format!("ssl-ca={ca}"),
        ];
        server.stop().expect("it ends");
        let settings = settings.each_ref().map(String::as_str);
        server.start_again_with(&settings).expect("it takes the settings");
    };
    shows(&mut server, HERE);
    let good = by("VERIFY_IDENTITY", &ca);
    says(&good, &["init"]);
    says(&good, &["tag", "create", "orders"]);
    lets_in(&good, "s3cret");
    lets_in(&by("required", &ca), "s3cret");
    // The control: without TLS no connection is accepted.
    is_refused(&url, &SERVE, &["does not let this server in"]);
    for unknown in [by("VERIFY_IDENTITY", &other), format!("{url}?ssl-mode=REQUIRED")] {
        is_refused(&unknown, &SERVE, &["UnknownIssuer", "ssl-ca=FILE"]);
    }

    let [certificate, key] = ours.certify("shop", ExtendedKeyUsagePurpose::ClientAuth);
    let (certificate, key) =
        (home.write("shop.pem", &certificate), home.write("shop-key.pem", &key));
    let shop = good.replace("//ids:", "//shop:");
    lets_in(&format!("{shop}&ssl-cert={certificate}&ssl-key={key}"), "s3cret");
    is_refused(&shop, &SERVE, &["does not let this server in"]);

    shows(&mut server, "db.example");
    is_refused(&good, &SERVE, &["not valid for name", "db.example", "connect by a name"]);
}
