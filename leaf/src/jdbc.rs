//! Turns a JDBC URL into leafid's URL of the same database.

use leafid_store::opening::{Place, built};
use leafid_store::problem::Problem;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::invalid;

/// The characters that need no percent encoding in leafid's URLs.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// leafid's URL of the database that `leaf.jdbc.url` names, with Leaf's table for the tags. It holds the
/// password, so it is for the back end only and never shown.
///
/// # Errors
/// `REQUEST_INVALID`, which does not repeat the URL: it may have a password.
pub fn url(jdbc: &str, user: &str, password: &str) -> Result<String, Problem> {
    built("mysql")?;
    let wrong = |why: &str| {
        invalid(format!(
            "leaf.jdbc.url cannot be used: {why}; it is `jdbc:mysql://HOST:PORT/DATABASE`, with the \
             user and the password in leaf.jdbc.username and leaf.jdbc.password"
        ))
    };
    let rest = jdbc.strip_prefix("jdbc:mysql://").or(jdbc.strip_prefix("jdbc:mariadb://"));
    let rest = rest.ok_or_else(|| wrong("it is not one of MySQL or MariaDB"))?;
    let (at, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, database) = at.split_once('/').ok_or_else(|| wrong("it names no database"))?;
    if host.contains('@') {
        return Err(wrong("it has a user in it"));
    }
    if host.contains([',', '(']) {
        return Err(wrong("it names several servers, and one is asked: name the primary"));
    }
    if database.is_empty() || database.contains('/') {
        return Err(wrong("it names no database"));
    }
    let host = if host.is_empty() { "localhost" } else { host };
    let encoded = |text: &str| utf8_percent_encode(text, KEPT).to_string();
    // Unlike Java's driver, ours needs a user.
    if user.is_empty() {
        return Err(wrong("leaf.jdbc.username is not set"));
    }
    let (user, password, database) = (encoded(user), encoded(password), encoded(database));
    let tls = tls(query).map_err(|why| wrong(&why))?;
    let url = format!("mysql://{user}:{password}@{host}/{database}?tags=leaf_alloc{tls}");
    // The parser's own message would be about our URL, but the operator wrote a JDBC URL.
    match Place::parse(&url) {
        Some(Ok(_)) => Ok(url),
        _ => Err(wrong("its host or port cannot be read")),
    }
}

/// The TLS options of leafid's URL, from those of the JDBC URL; its other options are for Java's driver
/// only. A value that Java's driver refuses is refused: misspelt, it would silently mean no TLS.
fn tls(query: &str) -> Result<&'static str, String> {
    let said = |name: &str| {
        let mut options = query.split('&').filter_map(|option| option.split_once('='));
        options.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    };
    let on = |name: &str| match said(name).map(str::to_ascii_lowercase).as_deref() {
        Some("true" | "yes") => Ok(true),
        None | Some("false" | "no") => Ok(false),
        Some(_) => Err(format!("its {name} is neither true nor false")),
    };
    let (used, required, verified) =
        (on("useSSL")?, on("requireSSL")?, on("verifyServerCertificate")?);
    const CHECKED: &str = "&require_ssl=true&verify_identity=false";
    const UNCHECKED: &str = "&require_ssl=true&verify_ca=false&verify_identity=false";
    // MariaDB's own driver spells some values differently.
    match said("sslMode").map(|mode| mode.to_ascii_uppercase().replace('-', "_")).as_deref() {
        Some("VERIFY_IDENTITY" | "VERIFY_FULL") => Ok("&require_ssl=true"),
        Some("VERIFY_CA") => Ok(CHECKED),
        Some("REQUIRED" | "TRUST") => Ok(UNCHECKED),
        Some("DISABLED" | "DISABLE" | "PREFERRED") => Ok(""),
        Some(_) => Err("its sslMode is unknown: use DISABLED, PREFERRED, REQUIRED, VERIFY_CA or \
                        VERIFY_IDENTITY"
            .to_owned()),
        None if used && verified => Ok(CHECKED),
        None if used && required => Ok(UNCHECKED),
        None => Ok(""),
    }
}

#[cfg(feature = "sql")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_of_javas_becomes_ours() {
        for (jdbc, place) in [
            ("jdbc:mysql://db.example:3307/leaf", "mysql://u@db.example:3307/leaf"),
            ("jdbc:mysql://db.example/leaf", "mysql://u@db.example:3306/leaf"),
            ("jdbc:mysql:///leaf", "mysql://u@localhost:3306/leaf"),
            ("jdbc:mysql://[::1]/leaf", "mysql://u@[::1]:3306/leaf"),
            (
                "jdbc:mysql://h:1/leaf?useUnicode=true&characterEncoding=utf8&useSSL=false",
                "mysql://u@h:1/leaf",
            ),
            ("jdbc:mysql://h:1/leaf?useSSL=true&requireSSL=true", "mysql://u@h:1/leaf"),
            ("jdbc:mysql://h:1/leaf?useSSL=YES&requireSSL=yes", "mysql://u@h:1/leaf"),
            ("jdbc:mysql://h:1/leaf?sslMode=VERIFY_CA", "mysql://u@h:1/leaf"),
            ("jdbc:mysql://h:1/leaf?sslMode=preferred", "mysql://u@h:1/leaf"),
            ("jdbc:mariadb://h:1/leaf?sslMode=verify-full", "mysql://u@h:1/leaf"),
            ("jdbc:mariadb://h:1/leaf", "mysql://u@h:1/leaf"),
        ] {
            let url = url(jdbc, "u", "s3@c:r/e?t&tags=%").unwrap();
            let read = Place::parse(&url).unwrap().unwrap();
            assert_eq!(read.shown(), format!("{place}?tags=leaf_alloc"));
            assert_eq!(
                url.contains("require_ssl"),
                jdbc.contains("requireSSL") || jdbc.to_lowercase().contains("verify")
            );
        }
        for (wrong, says) in [
            ("", "MySQL or MariaDB"),
            ("jdbc:postgresql://h/s3cret", "MySQL or MariaDB"),
            ("jdbc:mysql://h:1", "no database"),
            ("jdbc:mysql://h:1/?user=s3cret", "no database"),
            ("jdbc:mysql://u:s3cret@h:1/d", "a user in it"),
            ("jdbc:mysql://a:1,b:2/d", "name the primary"),
            ("jdbc:mysql://h:port/d?password=s3cret", "host or port"),
            ("jdbc:mysql://h/d?useSSL=s3cret", "its useSSL is neither true nor false"),
            ("jdbc:mysql://h/d?useSSL=true&requireSSL=maybe", "its requireSSL is neither"),
            ("jdbc:mysql://h/d?sslMode=REQUIRD", "its sslMode is unknown: use DISABLED, PREFERRED"),
        ] {
            let refused = url(wrong, "u", "s3cret").unwrap_err();
            assert!(refused.detail.contains(says), "{wrong}: {refused}");
            assert!(!refused.detail.contains("s3cret"), "{wrong}: {refused}");
        }
        assert!(
            url("jdbc:mysql://h/d", "", "p").unwrap_err().detail.contains("leaf.jdbc.username")
        );
    }
}
