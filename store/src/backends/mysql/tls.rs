//! TLS as the URL asks for it, by the names of MySQL's own programs. Once it is asked for, the
//! certificate is looked at.

use mysql_async::{ClientIdentity, SslOpts};

use crate::backends::address::Options;
use crate::backends::tls::{self, Asked};
use crate::problem::Problem;

pub const OPTIONS: [&str; 4] = ["ssl-mode", "ssl-ca", "ssl-cert", "ssl-key"];

/// What the URL says of TLS; nothing where it says nothing.
///
/// # Errors
/// `REQUEST_INVALID` where that cannot be done.
pub fn of(options: &Options, wrong: impl Fn(&str) -> Problem) -> Result<Option<SslOpts>, Problem> {
    let any_name = |mode: Option<&str>| match mode.map(str::to_ascii_uppercase).as_deref() {
        // The second does not insist on it, and so hinders nobody who is in between.
        None | Some("DISABLED" | "PREFERRED") => Ok(None),
        Some("REQUIRED" | "VERIFY_IDENTITY") => Ok(Some(false)),
        // The client crate looks for words in its TLS library's message that are not there any more.
        Some("VERIFY_CA") => {
            Err("`ssl-mode=VERIFY_CA` is not possible: connect by a name that is in the \
                                  certificate, with `ssl-mode=VERIFY_IDENTITY`")
        }
        Some(_) => Err("`ssl-mode` is one of DISABLED, REQUIRED and VERIFY_IDENTITY"),
    };
    let asked = Asked::of(options, OPTIONS, "ssl-mode=VERIFY_IDENTITY", any_name);
    let Some(asked) = asked.map_err(|why| wrong(&why))? else { return Ok(None) };
    // Said here, by the name of the option, what is wrong with a file.
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
