//! Leaf's settings: reads an unchanged `leaf.properties`, with the keys of Leaf's fork.

use std::collections::BTreeMap;
use std::path::Path;

use leafid_store::json::shown;
use leafid_store::problem::Problem;

use crate::workers::place::Place;
use crate::{Modes, invalid, jdbc, properties};

const PORT: u16 = 8080;
/// The key that lists every Leaf with its worker number, in mode `local`.
pub(crate) const LIST: &str = "leaf.snowflake.local.workIdMap";
const KEYS: [&str; 12] = [
    "leaf.name",
    "leaf.segment.enable",
    "leaf.jdbc.url",
    "leaf.jdbc.username",
    "leaf.jdbc.password",
    "leaf.snowflake.enable",
    "leaf.snowflake.zk.address",
    "leaf.snowflake.address",
    "leaf.snowflake.port",
    "leaf.snowflake.mode",
    LIST,
    "server.port",
];

/// The settings in a file. They hold a password, so there is no `Debug`.
pub struct LeafConfig {
    /// The port that serves Leaf's paths.
    pub port: u16,
    /// Which modes are on.
    pub modes: Modes,
    /// leafid's URL of the segment mode's database, with the password.
    pub store: Option<String>,
    /// The registry of the snowflake mode's worker numbers.
    pub workers: Option<Place>,
}

impl LeafConfig {
    /// Reads a file. `tell` gets a message for each unknown key, which has no effect.
    ///
    /// # Errors
    /// `REQUEST_INVALID` with the file, the key and what to do, but never a password.
    pub fn read(file: &Path, tell: impl Fn(&str)) -> Result<LeafConfig, Problem> {
        let place = shown(&file.display().to_string());
        let bytes = std::fs::read(file).map_err(|error| {
            invalid(format!("`{place}` cannot be read: {error}; name Leaf's leaf.properties"))
        })?;
        LeafConfig::parse(&bytes, tell).map_err(|problem| {
            let detail = format!("`{place}`: {}", problem.detail);
            Problem { detail, ..problem }
        })
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// As [`LeafConfig::read`].
    pub fn parse(bytes: &[u8], tell: impl Fn(&str)) -> Result<LeafConfig, Problem> {
        let keys = Keys(properties::read(bytes)?);
        for key in keys.0.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            tell(&shown(key));
        }
        let (segment, snowflake) =
            (keys.is_on("leaf.segment.enable")?, keys.is_on("leaf.snowflake.enable")?);
        let store = if segment { Some(database(&keys)?) } else { None };
        let workers = if snowflake { Some(Place::of(&keys, store.as_deref())?) } else { None };
        let modes = Modes { segment, snowflake, ..Modes::BOTH };
        Ok(LeafConfig { port: keys.port("server.port")?.unwrap_or(PORT), modes, store, workers })
    }
}

fn database(keys: &Keys) -> Result<String, Problem> {
    let url = keys.text("leaf.jdbc.url")?.ok_or_else(|| {
        invalid(
            "leaf.jdbc.url is not set, and leaf.segment.enable is true, or absent, which Leaf takes \
             for true; set the URL, or leaf.segment.enable=false",
        )
    })?;
    let user = keys.text("leaf.jdbc.username")?.unwrap_or_default();
    // Not `text`, which refuses a trailing blank: a password may end with one.
    let password = keys.0.get("leaf.jdbc.password").map_or("", String::as_str);
    jdbc::url(url, user, password)
}

/// The keys and values of a Java `.properties` file.
pub(crate) struct Keys(pub(crate) BTreeMap<String, String>);

impl Keys {
    /// The value of a key, where it is set and not empty.
    pub(crate) fn text(&self, key: &str) -> Result<Option<&str>, Problem> {
        let Some(value) = self.0.get(key) else { return Ok(None) };
        // Java keeps the blank, and then no host or database has that name.
        if value.trim_end() != value {
            return Err(invalid(format!(
                "{key} ends with a blank, which Java takes for a part of it; remove it"
            )));
        }
        Ok(Some(value.as_str()).filter(|value| !value.is_empty()))
    }

    pub(crate) fn port(&self, key: &str) -> Result<Option<u16>, Problem> {
        let Some(value) = self.text(key)? else { return Ok(None) };
        let port = value.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
            invalid(format!("{key} is a number from 1 to 65535, got `{}`", shown(value)))
        })?;
        Ok(Some(port))
    }

    /// Whether a mode is on, which is the default.
    fn is_on(&self, key: &str) -> Result<bool, Problem> {
        match self.0.get(key).map(|value| value.to_ascii_lowercase()).as_deref() {
            None | Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(other) => Err(invalid(format!(
                "{key} is `{}`, which Leaf silently takes for false; set it to true or false",
                shown(other)
            ))),
        }
    }
}

#[cfg(feature = "sql")]
#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// The settings, and the messages about unknown keys.
    fn of(text: &str) -> Result<(LeafConfig, Vec<String>), Problem> {
        let unknown = RefCell::new(Vec::new());
        let tell = |key: &str| unknown.borrow_mut().push(key.to_owned());
        let config = LeafConfig::parse(text.as_bytes(), tell)?;
        Ok((config, unknown.into_inner()))
    }

    const BOTH: &str = "leaf.name=com.sankuai.leaf.opensource.test\nleaf.segment.enable=true\n\
                        leaf.jdbc.url=jdbc:mysql://h:3306/leaf?useSSL=false\n\
                        leaf.jdbc.username=ids\nleaf.jdbc.password=s3cret\n\
                        leaf.snowflake.enable=true\nleaf.snowflake.zk.address=z:2181\n\
                        leaf.snowflake.port=2182\n";

    #[test]
    fn a_file_is_read_as_it_is() {
        let (config, unknown) = of(BOTH).ok().unwrap();
        assert_eq!((config.port, config.modes, unknown), (8080, Modes::BOTH, vec![]));
        let url = "mysql://ids:s3cret@h:3306/leaf?tags=leaf_alloc";
        assert_eq!(config.store.as_deref(), Some(url));
        let option = config.workers.unwrap().option();
        let node = "zk://z:2181/snowflake/com.sankuai.leaf.opensource.test";
        assert_eq!(option, format!("--leaf-zookeeper {node}"));

        // The fork's keys, and a misspelt one.
        let more = "leaf.snowflake.mode=local\nserver.port=9000\nleaf.snowflake.zk.adress=x\n\
                    leaf.snowflake.local.workIdMap={\"h:2182\":5}\n";
        let (config, unknown) = of(&format!("{BOTH}{more}")).ok().unwrap();
        assert_eq!((config.port, unknown), (9000, vec!["leaf.snowflake.zk.adress".to_owned()]));

        let text = "leaf.segment.enable=false\nleaf.snowflake.enable=FALSE\n";
        let (off, _) = of(text).ok().unwrap();
        assert!(off.store.is_none() && off.workers.is_none());
        assert_eq!((off.modes.segment, off.modes.snowflake), (false, false));
    }

    #[test]
    fn what_leaf_would_stumble_over_is_an_error_with_a_cure() {
        let without = |key: &str| {
            let lines = BOTH.lines().filter(|line| !line.starts_with(key));
            lines.map(|line| format!("{line}\n")).collect::<String>()
        };
        for (text, says) in [
            (String::new(), "leaf.jdbc.url is not set"),
            (without("leaf.jdbc.url"), "leaf.segment.enable=false"),
            (without("leaf.jdbc.username"), "leaf.jdbc.username"),
            (without("leaf.name"), "leaf.name is not set"),
            (without("leaf.snowflake.port"), "leaf.snowflake.port is not set"),
            (format!("{BOTH}leaf.snowflake.port=\n"), "leaf.snowflake.port is not set or empty"),
            (format!("{BOTH}leaf.snowflake.port=no\n"), "got `no`"),
            (
                format!("{BOTH}leaf.segment.enable=yes\n"),
                "`yes`, which Leaf silently takes for false",
            ),
            (format!("{BOTH}leaf.snowflake.enable=true \n"), "`true `"),
            (format!("{BOTH}leaf.jdbc.url=jdbc:mysql://h/d \n"), "ends with a blank"),
            (format!("{BOTH}server.port=70000\n"), "server.port"),
        ] {
            let refused = of(&text).err().unwrap();
            assert!(refused.detail.contains(says), "{says}: {refused}");
            assert!(!refused.detail.contains("s3cret"), "{refused}");
        }
    }
}
