//! Parses `postgres://` URLs: where the server is, the login, and the options.

use std::path::Path;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, SslNegotiation};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::backends::address::{Options, prints_its_place, query, unusable, without};
use crate::backends::remote::EXCHANGE;
use crate::backends::tls::{self, Asked};
use crate::problem::Problem;

const FORM: &str =
    "`postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with `%40` for an `@` in the password";

/// A parsed `postgres://` URL, which prints without its password.
#[derive(Clone)]
pub struct Address {
    pub(crate) config: Box<Config>,
    /// The TLS connector, if the URL asks for TLS.
    pub(crate) tls: Option<MakeRustlsConnect>,
    /// The URL for messages: without the password and the options.
    pub place: String,
}

impl Address {
    /// Reads a URL.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, which does not repeat the URL: it may have a password.
    pub fn parse(url: &str) -> Result<Address, Problem> {
        let wrong = |why: &str| unusable("PostgreSQL", why, FORM);
        let (url, options) = without(url, &OPTIONS).map_err(|why| wrong(&why))?;
        let url = url.as_str();
        // The parser's messages may quote the URL, password included, so they are replaced.
        let mut config: Config = match url.parse() {
            Ok(config) => config,
            Err(error) => return Err(wrong(&unread(url, &error))),
        };
        if config.get_hosts().is_empty() {
            return Err(wrong("it names no host"));
        }
        let at = |host: &Host| matches!(host, Host::Tcp(name) if name.contains('@'));
        if config.get_hosts().iter().any(at) {
            return Err(wrong("it has more than one `@`"));
        }
        if config.get_user().is_none_or(str::is_empty) {
            return Err(wrong("it names no user"));
        }
        let tls = tls(&mut config, &options, wrong)?;
        config.application_name("leafid");
        config.connect_timeout(Duration::from_secs(2)).tcp_user_timeout(EXCHANGE);
        let place = place(&config);
        Ok(Address { config: Box::new(config), tls, place })
    }
}

/// Why a URL cannot be read; of the parser's message it repeats only the name of an unknown parameter, and
/// not if that could be part of a password with a `?`.
fn unread(url: &str, error: &tokio_postgres::Error) -> String {
    let said = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    match said.strip_prefix("unknown option ") {
        Some(name) if query(url).is_some() => {
            format!("it has the unknown parameter {name} (leave it out)")
        }
        _ => "it cannot be read".to_owned(),
    }
}

fn place(config: &Config) -> String {
    let ports = config.get_ports();
    let port = |at: usize| ports.get(at).or(ports.first()).copied().unwrap_or(5432);
    let hosts = config.get_hosts().iter().enumerate().map(|(at, host)| match host {
        Host::Tcp(name) if name.contains(':') => format!("[{name}]:{}", port(at)),
        Host::Tcp(name) => format!("{name}:{}", port(at)),
        #[cfg(unix)]
        Host::Unix(path) => {
            format!("{}:{}", path.display().to_string().replace('/', "%2F"), port(at))
        }
    });
    let user = config.get_user().unwrap_or("");
    let hosts = hosts.collect::<Vec<_>>().join(",");
    format!("postgres://{user}@{hosts}/{}", config.get_dbname().unwrap_or(user))
}

prints_its_place!(Address);

const OPTIONS: [&str; 4] = ["sslmode", "sslrootcert", "sslcert", "sslkey"];

/// Applies the TLS options of the URL to the configuration; gives nothing if it does not ask for TLS.
///
/// # Errors
/// `REQUEST_INVALID` if they cannot be used.
fn tls(
    config: &mut Config,
    options: &Options,
    wrong: impl Fn(&str) -> Problem,
) -> Result<Option<MakeRustlsConnect>, Problem> {
    let any_name = |mode: Option<&str>| match mode {
        // As in libpq `allow` and `prefer` do not insist on TLS, so they would not stop a man in the middle.
        None | Some("disable" | "allow" | "prefer") => Ok(None),
        Some("require" | "verify-full") => Ok(Some(false)),
        Some("verify-ca") => Ok(Some(true)),
        Some(_) => Err("`sslmode` is one of disable, require, verify-ca and verify-full"),
    };
    let asked = Asked::of(options, OPTIONS, "sslmode=verify-full", any_name);
    let Some(mut asked) = asked.map_err(|why| wrong(&why))? else {
        config.ssl_mode(SslMode::Disable);
        return Ok(None);
    };
    if config.get_hosts().iter().any(|host| !matches!(host, Host::Tcp(_))) {
        return Err(wrong("there is no TLS over a socket: leave out `sslmode`"));
    }
    asked.authorities = asked.authorities.filter(|(_, file)| *file != Path::new("system"));
    let mut client = tls::client(&asked)?;
    if config.get_ssl_negotiation() == SslNegotiation::Direct {
        client.alpn_protocols = vec![b"postgresql".to_vec()];
    }
    config.ssl_mode(SslMode::Require);
    Ok(Some(MakeRustlsConnect::new(client)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_named() {
        let says = |url: &str| Address::parse(url).unwrap_err().detail;
        assert!(says("postgres://u:p@h/d?colour=red").contains("unknown parameter `colour`"));
        assert!(says("postgres://u:geh@im@h/d").contains("more than one `@`"));
        assert!(says("postgres://u:p@x?geheim=1@h/d").contains("it cannot be read"));
    }

    #[test]
    fn a_place_has_no_password() {
        for (url, place) in [
            ("postgres://u:s3cret@h:5433/d?application_name=x", "postgres://u@h:5433/d"),
            ("postgresql://u:s3cret@h/d", "postgres://u@h:5432/d"),
            ("postgres://u:s3cret@a:1,b:2/d", "postgres://u@a:1,b:2/d"),
            ("postgres://u:s3cret@[::1]:7/d", "postgres://u@[::1]:7/d"),
            ("postgres://u:s3cret@h", "postgres://u@h:5432/u"),
            ("postgres://u:s3cret@h/d?sslmode=require&keepalives=1", "postgres://u@h:5432/d"),
            (
                "postgres://u:s3%3F@h/d?sslrootcert=system&sslmode=verify-ca",
                "postgres://u@h:5432/d",
            ),
        ] {
            let address = Address::parse(url).unwrap();
            assert_eq!(address.tls.is_some(), url.contains("ssl"), "{url}");
            assert_eq!((address.place.as_str(), format!("{address:?}")), (place, place.to_owned()));
        }
        for wrong in [
            "postgres://u:s3cret@h:port/d",
            "postgres://h:s3cret/d?x=s3cret",
            "postgres:///d?password=s3cret",
            "postgres://:s3cret@h/d",
            "postgres://u:s3cret@h/d?sslmode=on",
            "postgres://u:s3cret@h/d?sslmode=verify-ca&sslmode=disable",
            "postgres://u:s3cret@h/d?sslrootcert=/there/is/no/such.pem",
            "postgres://u:s3cret@h/d?sslmode=require&sslrootcert=/there/is/no/such.pem",
            "postgres://u:s3cret@h/d?sslmode=require&sslcert=/there/is/no/such.pem",
            "postgres://u:s3cret@%2Frun/d?sslmode=require",
        ] {
            let problem = Address::parse(wrong).unwrap_err();
            assert!(!problem.detail.contains("s3cret"), "{wrong}: {problem}");
        }
    }
}
