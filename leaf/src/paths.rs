//! What a path of Leaf's asks for.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

const SEGMENT: &str = "/api/segment/get/";
const SNOWFLAKE: &str = "/api/snowflake/get/";

/// What a path of Leaf's asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked<'p> {
    /// A number of the tag with this name.
    Segment(Cow<'p, str>),
    /// A snowflake: the key says nothing.
    Snowflake,
    /// The page of what is at hand.
    Cache,
    /// The page of the table.
    Db,
    /// What a snowflake is made of.
    Decode,
    /// A `/` that is written `%2F`, which is refused before anything else is looked at.
    Slash,
    /// Nothing.
    Unknown,
}

impl Asked<'_> {
    /// Reads a path: what follows a `;` in a part of it is left out, and so is a slash at the end. A
    /// key is not cut at its last dot, as Leaf does: with `/get/a.b` it serves the tag `a`.
    pub fn of(path: &str) -> Asked<'_> {
        if has_slash(path) {
            return Asked::Slash;
        }
        if path.contains(';') {
            let plain: Vec<&str> =
                path.split('/').map(|part| part.split(';').next().unwrap_or("")).collect();
            return match Asked::plain(&plain.join("/")) {
                Asked::Segment(key) => Asked::Segment(Cow::Owned(key.into_owned())),
                Asked::Snowflake => Asked::Snowflake,
                Asked::Cache => Asked::Cache,
                Asked::Db => Asked::Db,
                Asked::Decode => Asked::Decode,
                Asked::Slash | Asked::Unknown => Asked::Unknown,
            };
        }
        Asked::plain(path)
    }

    fn plain(path: &str) -> Asked<'_> {
        let path = path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(path);
        let is_key = |key: &&str| !key.is_empty() && !key.contains('/');
        if let Some(key) = path.strip_prefix(SEGMENT).filter(is_key) {
            return Asked::Segment(percent_decode_str(key).decode_utf8_lossy());
        }
        if path.strip_prefix(SNOWFLAKE).filter(is_key).is_some() {
            return Asked::Snowflake;
        }
        match path {
            "/cache" => Asked::Cache,
            "/db" => Asked::Db,
            "/decodeSnowflakeId" => Asked::Decode,
            _ => Asked::Unknown,
        }
    }
}

fn has_slash(path: &str) -> bool {
    path.contains('%') && path.to_ascii_lowercase().contains("%2f")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_leaf_reads_them_but_for_dots() {
        for (path, key) in [
            ("/api/segment/get/orders", "orders"),
            ("/api/segment/get/orders/", "orders"),
            ("/api/segment/get/orders;x=1", "orders"),
            ("/api;v=2/segment/get/orders;x=1/", "orders"),
            ("/api/segment/get/a.b", "a.b"),
            ("/api/segment/get/a.b/", "a.b"),
            ("/api/segment/get/gr%C3%B6%C3%9Fe", "größe"),
        ] {
            assert_eq!(Asked::of(path), Asked::Segment(key.into()), "{path}");
        }
        for (path, asked) in [
            ("/api/snowflake/get/x", Asked::Snowflake),
            ("/api/snowflake/get/x;y/", Asked::Snowflake),
            ("/cache", Asked::Cache),
            ("/db/", Asked::Db),
            ("/decodeSnowflakeId", Asked::Decode),
            ("/api/segment/get/a%2Fb", Asked::Slash),
            ("/api/segment/get/a%2fb", Asked::Slash),
            ("/api/segment/get/", Asked::Unknown),
            ("/api/segment/get/;x=1", Asked::Unknown),
            ("/api/segment/get", Asked::Unknown),
            ("/api/segment/get/a/b", Asked::Unknown),
            ("/v1/tags", Asked::Unknown),
            ("/", Asked::Unknown),
            ("", Asked::Unknown),
        ] {
            assert_eq!(Asked::of(path), asked, "{path}");
        }
    }
}
