//! Helpers for the URLs of all databases: printing them without secrets, taking options, refusing them.

use std::collections::BTreeMap;

use leafid_core::Code;
use percent_encoding::percent_decode_str;

use crate::problem::Problem;

pub type Options = BTreeMap<String, String>;

/// Splits a URL at the `?` of its query; a `?` in a password begins none.
pub fn query(url: &str) -> Option<(&str, &str)> {
    url.rsplit_once('?').filter(|(_, query)| !query.contains('@'))
}

/// Takes the options of these names out of a URL.
///
/// # Errors
/// The fault of the URL, without any part that may be secret.
pub fn without(url: &str, names: &[&str]) -> Result<(String, Options), String> {
    let Some((before, query)) = query(url) else { return Ok((url.to_owned(), Options::new())) };
    let (mut taken, mut left) = (Options::new(), Vec::new());
    for option in query.split('&') {
        match option.split_once('=').filter(|(name, _)| names.contains(name)) {
            None => left.push(option),
            Some((name, value)) => {
                let value = percent_decode_str(value).decode_utf8();
                let value = value.map_err(|_| format!("`{name}` is not UTF-8"))?.into_owned();
                if value.is_empty() {
                    return Err(format!("`{name}` has no value"));
                }
                if taken.insert(name.to_owned(), value).is_some() {
                    return Err(format!("`{name}` is given twice"));
                }
            }
        }
    }
    let query = left.join("&");
    Ok((if query.is_empty() { before.to_owned() } else { format!("{before}?{query}") }, taken))
}

/// Refuses a URL and shows the right form. The URL is not repeated: it may have a password.
pub fn unusable(database: &str, why: &str, form: &str) -> Problem {
    let detail = format!("the {database} URL cannot be used: {why}; it is {form}");
    Problem::new(Code::RequestInvalid, detail)
}

macro_rules! prints_its_place {
    ($address:ty) => {
        impl std::fmt::Debug for $address {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.place)
            }
        }
    };
}

pub(crate) use prints_its_place;
