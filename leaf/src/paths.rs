//! What a path of Leaf's asks for.

use percent_encoding::percent_decode_str;

/// What a path of Leaf's asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A number of the tag with this name.
    Segment(String),
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

impl Asked {
    /// Reads a path: what follows a `;` in a part of it is left out, and so is a slash at the end. A
    /// key is not cut at its last dot, as Leaf does: with `/get/a.b` it serves the tag `a`.
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
