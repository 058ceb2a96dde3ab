//! Parses `mysql://` URLs: where the server is, the login, and the options.

use mysql_async::{ClientIdentity, Opts, OptsBuilder, SslOpts, UrlError};

use crate::backends::address::{Options, prints_its_place, query, unusable, without};
use crate::backends::tls::{self, Asked};
use crate::problem::Problem;

const FORM: &str =
    "`mysql://USER:PASSWORD@HOST:PORT/DATABASE`, with `%40` for an `@` in the password";

pub const LEAF_TAGS: &str = "?tags=leaf_alloc";

/// A parsed `mysql://` URL, which prints without its password.
#[derive(Clone)]
pub struct Address {
    /// The options for the driver.
    pub options: Opts,
    /// The URL for messages: without the password and the options other than `tags`.
    pub place: String,
    /// Whether Leaf's own `leaf_alloc` keeps the tags: `?tags=leaf_alloc`.
    pub leaf: bool,
}

impl Address {
    /// Reads a URL.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, which does not repeat the URL: it may have a password.
    pub fn parse(url: &str) -> Result<Address, Problem> {
        let wrong = |why: &str| unusable("MySQL", why, FORM);
        let url = &url.replacen("mariadb:", "mysql:", 1);
        let (url, mut options) = without(url, &OPTIONS).map_err(|why| wrong(&why))?;
        let leaf = match options.remove("tags").as_deref() {
            None => false,
            Some("leaf_alloc") => true,
            Some(_) => {
                return Err(wrong(
                    "`tags=` is followed by `leaf_alloc`: Leaf's own table is the only other one",
                ));
            }
        };
        let (url, ssl) = (url.as_str(), tls(&options, wrong)?);
        // The parser's messages may quote the URL, password included, so they are replaced.
        let options = Opts::from_url(url).map_err(|error| match error {
            UrlError::UnknownParameter { param } if query(url).is_some() => {
                wrong(&format!("it has the unknown parameter `{param}` (leave it out)"))
            }
            _ => wrong("it cannot be read"),
        })?;
        let user = options.user().filter(|user| !user.is_empty());
        let user = user.ok_or_else(|| wrong("it names no user"))?;
        let database = options.db_name().filter(|name| !name.is_empty());
        let database = database.ok_or_else(|| wrong("it names no database"))?;
        let (host, port) = (options.ip_or_hostname(), options.tcp_port());
        let host = if host.contains(':') && !host.starts_with('[') {
            format!("[{host}]")
        } else {
            host.to_owned()
        };
        let tags = if leaf { LEAF_TAGS } else { "" };
        let place = format!("mysql://{user}@{host}:{port}/{database}{tags}");
        let ssl = ssl.or_else(|| options.ssl_opts().cloned());
        let options = OptsBuilder::from_opts(options)
            .ssl_opts(ssl)
            // Count the rows that were found, not only those that changed.
            .client_found_rows(true)
            // Stay with the address in the URL, even if the server offers a socket.
            .prefer_socket(false)
            .stmt_cache_size(64)
            .into();
        Ok(Address { options, place, leaf })
    }
}

prints_its_place!(Address);

const TLS: [&str; 4] = ["ssl-mode", "ssl-ca", "ssl-cert", "ssl-key"];
const OPTIONS: [&str; 5] = [TLS[0], TLS[1], TLS[2], TLS[3], "tags"];

/// The TLS options of the URL; none if it does not ask for TLS.
///
/// # Errors
/// `REQUEST_INVALID` if they cannot be used.
fn tls(options: &Options, wrong: impl Fn(&str) -> Problem) -> Result<Option<SslOpts>, Problem> {
    let any_name = |mode: Option<&str>| match mode.map(str::to_ascii_uppercase).as_deref() {
        // `PREFERRED` does not insist on TLS, so it would not stop a man in the middle.
        None | Some("DISABLED" | "PREFERRED") => Ok(None),
        Some("REQUIRED" | "VERIFY_IDENTITY") => Ok(Some(false)),
        // The client crate matches on words that its TLS library's messages no longer have.
        Some("VERIFY_CA") => {
            Err("`ssl-mode=VERIFY_CA` is not possible: connect by a name that is in the \
                                  certificate, with `ssl-mode=VERIFY_IDENTITY`")
        }
        Some(_) => Err("`ssl-mode` is one of DISABLED, REQUIRED and VERIFY_IDENTITY"),
    };
    let asked = Asked::of(options, TLS, "ssl-mode=VERIFY_IDENTITY", any_name);
    let Some(asked) = asked.map_err(|why| wrong(&why))? else { return Ok(None) };
    // Checks the files here, where a message can name the option.
    tls::client(&asked)?;
    let mut ssl = SslOpts::default();
    if let Some((_, path)) = asked.authorities {
        ssl = ssl.with_root_certs(vec![path.to_owned().into()]).with_disable_built_in_roots(true);
    }
    let own = asked.own.map(|[(_, certificate), (_, key)]| {
        ClientIdentity::new(certificate.to_owned().into(), key.to_owned().into())
    });
    Ok(Some(ssl.with_client_identity(own)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_parameter_is_named() {
        let refused = Address::parse("mysql://u:p@h/d?colour=red").unwrap_err();
        assert!(refused.detail.contains("unknown parameter `colour`"), "{refused}");
    }

    #[test]
    fn a_place_has_no_password() {
        for (url, place) in [
            ("mysql://u:s3cret@h:3307/d?require_ssl=true", "mysql://u@h:3307/d"),
            ("mysql://u:s3cret@h/d", "mysql://u@h:3306/d"),
            ("mariadb://u:s3cret@h/d", "mysql://u@h:3306/d"),
            ("mysql://u:s3cret@h/d?ssl-mode=REQUIRED", "mysql://u@h:3306/d"),
            (
                "mysql://u:s3cret@h/d?ssl-mode=verify_identity&tcp_nodelay=true",
                "mysql://u@h:3306/d",
            ),
            ("mysql://u:s3cret@[::1]:7/d", "mysql://u@[::1]:7/d"),
            ("mysql://u:s3cret@h/d?tags=leaf_alloc", "mysql://u@h:3306/d?tags=leaf_alloc"),
            (
                "mysql://u:s%3F3cret@h/d?require_ssl=true&tags=leaf_alloc",
                "mysql://u@h:3306/d?tags=leaf_alloc",
            ),
        ] {
            let address = Address::parse(url).unwrap();
            assert_eq!(address.options.ssl_opts().is_some(), url.contains("ssl"), "{url}");
            assert_eq!(address.leaf, place.ends_with(LEAF_TAGS), "{url}");
            assert_eq!((address.place.as_str(), format!("{address:?}")), (place, place.to_owned()));
        }
        for wrong in [
            "mysql://u:s3cret@h:port/d",
            "mysql://u:s3cret@h/d?x=s3cret",
            "mysql://u:s3cret@h",
            "mysql://:s3cret@h/d",
            "mysql://u:s3cret@h/d?tags=tags",
            "mysql://u:s3cret@h/d?ssl-mode=on",
            "mysql://u:s3cret@h/d?ssl-mode=VERIFY_CA",
            "mysql://u:s3cret@h/d?ssl-ca=/there/is/no/such.pem",
            "mysql://u:s3cret@h/d?ssl-mode=REQUIRED&ssl-ca=/there/is/no/such.pem",
            "mysql://u:s3cret@h/d?ssl-mode=REQUIRED&ssl-key=/there/is/no/such.pem",
            "mysql://u:s3cret@h/d?tags=leaf_alloc&tags=leaf_alloc",
        ] {
            let problem = Address::parse(wrong).unwrap_err();
            assert!(!problem.detail.contains("s3cret"), "{wrong}: {problem}");
        }
    }
}
