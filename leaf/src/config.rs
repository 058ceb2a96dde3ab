//! Leaf's settings: `leaf.properties` as it is, the keys of its fork included.

use std::path::Path;

use leafid_core::Code;
use leafid_store::json::shown;
use leafid_store::problem::Problem;

use super::jdbc;
use super::properties::{self, Properties};

/// Where Leaf serves if nothing says where.
const PORT: u16 = 8080;
/// The keys that are known.
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
    "leaf.snowflake.local.workIdMap",
    "server.port",
];

/// What a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafConfig {
    /// `leaf.name`; empty where it is not set.
    pub name: String,
    /// The port of Leaf's paths.
    pub port: u16,
    /// Numbers from `leaf_alloc`, if that mode is on.
    pub segment: Option<SegmentSettings>,
    /// Snowflakes, if that mode is on.
    pub snowflake: Option<SnowflakeSettings>,
    /// Keys that nobody knows: what they were meant for is not done.
    pub unknown: Vec<String>,
}

/// The database of the segment mode.
#[derive(Clone, PartialEq, Eq)]
pub struct SegmentSettings {
    /// Our URL of it, with the password: never shown.
    pub url: String,
}

impl std::fmt::Debug for SegmentSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SegmentSettings")
    }
}

/// Where the worker number of the snowflake mode comes from, as the file says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnowflakeSettings {
    /// `leaf.snowflake.mode`; `None` where it is not set: Leaf itself has but one.
    pub mode: Option<String>,
    /// `leaf.snowflake.zk.address`: `HOST:PORT`, several with commas.
    pub zk_address: Option<String>,
    /// `leaf.snowflake.port`: a label, no port that anybody listens at.
    pub port: u16,
    /// `leaf.snowflake.local.workIdMap`: `{"IP:PORT":N}`.
    pub local_map: Option<String>,
}

impl LeafConfig {
    /// Reads a file.
    ///
    /// # Errors
    /// `REQUEST_INVALID` with the file, the key and what to do. No password is repeated.
    pub fn read(file: &Path) -> Result<LeafConfig, Problem> {
        let place = shown(&file.display().to_string());
        let bytes = std::fs::read(file).map_err(|error| {
            let detail = format!("`{place}` cannot be read: {error}; name Leaf's leaf.properties");
            Problem::new(Code::RequestInvalid, detail)
        })?;
        let within = |problem: Problem| Problem {
            detail: format!("`{place}`: {}", problem.detail),
            ..problem
        };
        properties::parse(&bytes).and_then(|found| LeafConfig::of(&found)).map_err(within)
    }

    /// What these keys say.
    ///
    /// # Errors
    /// As [`LeafConfig::read`].
    pub fn of(found: &Properties) -> Result<LeafConfig, Problem> {
        let name = text(found, "leaf.name")?.unwrap_or_default();
        let segment = is_on(found, "leaf.segment.enable")?.then(|| segment(found)).transpose()?;
        let snowflake = is_on(found, "leaf.snowflake.enable")?;
        let snowflake = snowflake.then(|| snowflake_settings(found, &name)).transpose()?;
        let port = port(found, "server.port")?.unwrap_or(PORT);
        let unknown = found.keys().filter(|key| !KEYS.contains(&key.as_str()));
        let unknown = unknown.map(|key| shown(key)).collect();
        Ok(LeafConfig { name, port, segment, snowflake, unknown })
    }
}

fn segment(found: &Properties) -> Result<SegmentSettings, Problem> {
    let Some(url) = text(found, "leaf.jdbc.url")? else {
        return Err(invalid(
            "leaf.jdbc.url is not set, and leaf.segment.enable is true, or absent, which Leaf takes \
             for true; set the URL, or leaf.segment.enable=false",
        ));
    };
    let user = text(found, "leaf.jdbc.username")?.unwrap_or_default();
    // Of a password a blank at the end may be a part.
    let password = found.get("leaf.jdbc.password").map_or("", String::as_str);
    Ok(SegmentSettings { url: jdbc::url(&url, &user, password)? })
}

fn snowflake_settings(found: &Properties, name: &str) -> Result<SnowflakeSettings, Problem> {
    if name.is_empty() {
        return Err(invalid(
            "leaf.name is not set, and names the machines of the snowflake mode; set it, or \
             leaf.snowflake.enable=false",
        ));
    }
    let mode = text(found, "leaf.snowflake.mode")?;
    let local_map = text(found, "leaf.snowflake.local.workIdMap")?;
    let zk_address = match text(found, "leaf.snowflake.zk.address")? {
        None => text(found, "leaf.snowflake.address")?,
        address => address,
    };
    let Some(port) = port(found, "leaf.snowflake.port")? else {
        return Err(invalid(
            "leaf.snowflake.port is not set or empty, as in the file that Leaf's fork brings, and a \
             Leaf does not start with it; set it to the number that this machine's Leaf had, or \
             leaf.snowflake.enable=false",
        ));
    };
    Ok(SnowflakeSettings { mode, zk_address, port, local_map })
}

/// A value that is set and not empty.
fn text(found: &Properties, key: &str) -> Result<Option<String>, Problem> {
    let Some(value) = found.get(key) else { return Ok(None) };
    // Java keeps it, and then no host and no database has that name.
    if value.trim_end() != value {
        let detail =
            format!("{key} ends with a blank, which Java takes for a part of it; remove it");
        return Err(invalid(&detail));
    }
    Ok(Some(value.clone()).filter(|value| !value.is_empty()))
}

/// Whether a mode is on; it is where nothing is said.
fn is_on(found: &Properties, key: &str) -> Result<bool, Problem> {
    match found.get(key).map(|value| value.to_ascii_lowercase()).as_deref() {
        None | Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(other) => {
            let detail = format!(
                "{key} is `{}`, which Leaf silently takes for false; set it to true or false",
                shown(other)
            );
            Err(invalid(&detail))
        }
    }
}

fn port(found: &Properties, key: &str) -> Result<Option<u16>, Problem> {
    let Some(value) = text(found, key)? else { return Ok(None) };
    match value.parse() {
        Ok(port) if port > 0 => Ok(Some(port)),
        _ => {
            let detail = format!("{key} is a number from 1 to 65535, got `{}`", shown(&value));
            Err(invalid(&detail))
        }
    }
}

fn invalid(detail: &str) -> Problem {
    Problem::new(Code::RequestInvalid, detail)
}

#[cfg(feature = "sql")]
#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<LeafConfig, Problem> {
        properties::parse(text.as_bytes()).and_then(|found| LeafConfig::of(&found))
    }

    const BOTH: &str = "leaf.name=com.sankuai.leaf.opensource.test\nleaf.segment.enable=true\n\
                        leaf.jdbc.url=jdbc:mysql://h:3306/leaf?useSSL=false\n\
                        leaf.jdbc.username=ids\nleaf.jdbc.password=s3cret\n\
                        leaf.snowflake.enable=true\nleaf.snowflake.zk.address=z:2181\n\
                        leaf.snowflake.port=2182\n";

    #[test]
    fn a_file_is_read_as_it_is() {
        let config = of(BOTH).unwrap();
        assert_eq!(config.name, "com.sankuai.leaf.opensource.test");
        assert_eq!((config.port, config.unknown.len()), (8080, 0));
        let url = config.segment.as_ref().unwrap().url.clone();
        assert_eq!(url, "mysql://ids:s3cret@h:3306/leaf?tags=leaf_alloc");
        let snowflake = config.snowflake.clone().unwrap();
        assert_eq!((snowflake.mode, snowflake.port), (None, 2182));
        assert_eq!(snowflake.zk_address.as_deref(), Some("z:2181"));
        assert!(!format!("{config:?}").contains("s3cret"));

        // The fork's keys, and one that nobody has.
        let more = "leaf.snowflake.mode=local\nserver.port=9000\nleaf.snowflake.zk.adress=x\n\
                    leaf.snowflake.local.workIdMap={\"h:2182\":5}\n";
        let config = of(&format!("{BOTH}{more}")).unwrap();
        let snowflake = config.snowflake.unwrap();
        assert_eq!(snowflake.mode.as_deref(), Some("local"));
        assert_eq!(snowflake.local_map.as_deref(), Some("{\"h:2182\":5}"));
        assert_eq!(
            (config.port, config.unknown),
            (9000, vec!["leaf.snowflake.zk.adress".to_owned()])
        );

        let off = of("leaf.segment.enable=false\nleaf.snowflake.enable=FALSE\n").unwrap();
        assert_eq!((off.segment, off.snowflake), (None, None));
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
            let refused = of(&text).unwrap_err();
            assert!(refused.detail.contains(says), "{says}: {refused}");
            assert!(!refused.detail.contains("s3cret"), "{refused}");
        }
    }
}
