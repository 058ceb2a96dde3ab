//! Parses the paths of Leaf's HTTP API.

use percent_encoding::percent_decode_str;

/// The request that a path stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A number of the tag with this name.
    Segment(String),
    /// A snowflake, whatever the key.
    Snowflake,
    /// The page of the segments in memory.
    Cache,
    /// The page of the table of tags.
    Db,
    /// The page that decodes a snowflake.
    Decode,
    /// A path with an encoded slash, `%2F`, which is refused before anything else is checked.
    Slash,
    /// None of Leaf's paths.
    Unknown,
}

impl Asked {
    /// Parses a path, without a slash at its end and without what follows a `;` in a segment. Unlike
    /// Leaf, which serves the tag `a` for `/get/a.b`, it does not cut a key at its last dot.
    pub fn of(path: &str) -> Asked {
        if path.contains("%2F") || path.contains("%2f") {
            return Asked::Slash;
        }
        let parts = path.split('/').map(|part| part.split(';').next().unwrap_or(""));
        let parts: Vec<&str> = parts.collect();
        match parts.strip_suffix(&[""]).unwrap_or(&parts) {
            ["", "api", _, "get", ""] => Asked::Unknown,
            ["", "api", "segment", "get", key] => {
                Asked::Segment(percent_decode_str(key).decode_utf8_lossy().into())
            }
            ["", "api", "snowflake", "get", _] => Asked::Snowflake,
            ["", "cache"] => Asked::Cache,
            ["", "db"] => Asked::Db,
            ["", "decodeSnowflakeId"] => Asked::Decode,
            _ => Asked::Unknown,
        }
    }
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
