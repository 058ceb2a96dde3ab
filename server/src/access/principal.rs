//! Principals: the entries of the token file.

use jiff::Timestamp;
use leafid_core::StoreTime;
use leafid_store::json::shown;
use leafid_store::utc::span_ms;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::secret::Hash;

/// Worker numbers that a principal may hold at a time by default.
pub const USUAL_WORKERS: u32 = 16;
/// Live tokens of a principal at most: the one in use, and its replacement.
pub const LIVE: usize = 2;

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// Lease segments, hold windows, have single IDs made.
    Lease,
    /// See tags, namespaces and worker numbers; decode.
    Read,
    /// Create, change and delete tags and namespaces; take worker numbers from their holders.
    Admin,
    /// Read the figures of the server.
    Metrics,
}

impl Verb {
    pub const ALL: [Verb; 4] = [Verb::Lease, Verb::Read, Verb::Admin, Verb::Metrics];
    /// The default of an entry.
    pub const USUAL: [Verb; 2] = [Verb::Lease, Verb::Read];

    pub const fn name(self) -> &'static str {
        match self {
            Verb::Lease => "lease",
            Verb::Read => "read",
            Verb::Admin => "admin",
            Verb::Metrics => "metrics",
        }
    }
}

/// A name, or the beginning of names and a star: `orders`, `tenant:*`, `*`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub struct Pattern(String);

impl TryFrom<String> for Pattern {
    type Error = String;

    /// Parses a pattern: a star may only be its last character.
    fn try_from(text: String) -> Result<Pattern, String> {
        let begins = text.strip_suffix('*').unwrap_or(&text);
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
        if !text.is_empty() && text.len() <= 128 && begins.bytes().all(is_known) {
            return Ok(Pattern(text));
        }
        let text = shown(&text);
        Err(format!("`{text}` is not a pattern: use a name, or its beginning and a star"))
    }
}

impl Pattern {
    pub fn text(&self) -> &str {
        &self.0
    }

    pub fn is_all(&self) -> bool {
        self.0 == "*"
    }

    fn fits(&self, name: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some(begins) => name.starts_with(begins),
            None => self.0 == name,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    #[serde(default)]
    pub id: String,
    #[serde(rename = "sha256")]
    pub hash: Hash,
    #[serde(default, deserialize_with = "moment")]
    pub created: Option<StoreTime>,
    /// The moment from which it is no longer valid.
    #[serde(default, deserialize_with = "moment")]
    pub expires: Option<StoreTime>,
}

impl Known {
    pub fn is_live(&self, now: StoreTime) -> bool {
        self.expires.is_none_or(|expires| now < expires)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Principal {
    #[serde(skip)]
    pub name: String,
    pub tags: Vec<Pattern>,
    pub namespaces: Vec<Pattern>,
    pub verbs: Vec<Verb>,
    pub max_step: Option<u32>,
    #[serde(rename = "max_window", deserialize_with = "window")]
    pub max_window_ms: Option<u32>,
    pub ids_per_day: Option<u64>,
    pub workers: u32,
    pub tokens: Vec<Known>,
}

/// The defaults of an entry.
impl Default for Principal {
    fn default() -> Principal {
        let all = vec![Pattern("*".to_owned())];
        Principal {
            name: String::new(),
            tags: all.clone(),
            namespaces: all,
            verbs: Verb::USUAL.to_vec(),
            max_step: None,
            max_window_ms: None,
            ids_per_day: None,
            workers: USUAL_WORKERS,
            tokens: Vec::new(),
        }
    }
}

impl Principal {
    /// A principal with this name and the defaults.
    pub fn named(name: &str) -> Principal {
        Principal { name: name.to_owned(), ..Principal::default() }
    }

    pub fn may_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|pattern| pattern.fits(tag))
    }

    pub fn may_namespace(&self, namespace: &str) -> bool {
        self.namespaces.iter().any(|pattern| pattern.fits(namespace))
    }
}

fn moment<'de, D: Deserializer<'de>>(from: D) -> Result<Option<StoreTime>, D::Error> {
    let text = match toml::Value::deserialize(from)? {
        toml::Value::String(text) => text,
        toml::Value::Datetime(at) => at.to_string(),
        _ => String::new(),
    };
    let at: Timestamp = text.parse().map_err(|_| {
        D::Error::custom("it must be a moment with its zone, as in 2027-01-31T00:00:00Z")
    })?;
    Ok(Some(StoreTime::new(at.as_millisecond())))
}

fn window<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    match span_ms(&String::deserialize(from)?).map_err(D::Error::custom)? {
        ..1_000 => Err(D::Error::custom("`max_window` is at least 1s")),
        ms => Ok(Some(ms)),
    }
}

pub fn is_name(text: &str) -> bool {
    leafid_core::Name::tag(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_ends_a_pattern() {
        let parse = |text: &str| Pattern::try_from(text.to_owned());
        let fits = |pattern: &str, name| parse(pattern).unwrap().fits(name);
        assert!(fits("*", "orders") && fits("tenant:*", "tenant:7") && fits("orders", "orders"));
        assert!(!fits("tenant:*", "tenant") && !fits("orders", "orders2") && !fits("a*", "b"));
        for wrong in ["", "**", "*a", "a*b", "a b", "ä*"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
