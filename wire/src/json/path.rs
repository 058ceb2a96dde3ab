//! The paths of the API: each as a template for the server, and as a function for the client that
//! fills in the names.

use std::fmt::{Display, Write};

macro_rules! paths {
    ($($(#[$doc:meta])* $template:ident $verb:ident($($name:ident),*) $path:literal;)+) => {
        $(
            $(#[$doc])*
            pub const $template: &str = $path;

            $(#[$doc])*
            pub fn $verb($($name: impl Display),*) -> String {
                filled($template, &[$($name.to_string()),*])
            }
        )+

        /// All templates.
        pub const ALL: &[&str] = &[$($template),+];
    };
}

paths! {
    /// POST leases numbers of a tag.
    LEASE lease(tag) "/v1/segments/{tag}/lease";
    /// POST hands out single numbers of a tag.
    NUMBERS numbers(tag) "/v1/segments/{tag}/ids";
    /// POST acquires a worker number and a window.
    ACQUIRE acquire(namespace) "/v1/workers/{namespace}/acquire";
    /// POST moves the end of a window.
    RENEW renew(namespace) "/v1/workers/{namespace}/renew";
    /// POST gives a window back.
    RELEASE release(namespace) "/v1/workers/{namespace}/release";
    /// POST is an operator's release of a worker number.
    REVOKE revoke(namespace, worker) "/v1/workers/{namespace}/{worker}/release";
    /// PUT sets a worker number aside, for use outside of leafid.
    ASIDE aside(namespace, worker) "/v1/workers/{namespace}/{worker}";
    /// GET lists the held worker numbers with their holders.
    WORKERS workers(namespace) "/v1/workers/{namespace}";
    /// POST hands out single snowflake IDs.
    SNOWFLAKES snowflakes(namespace) "/v1/snowflake/{namespace}/ids";
    /// GET splits an ID into its parts; the query may name its namespace.
    DECODE decode(id) "/v1/decode/{id}";
    /// GET lists the tags.
    TAGS tags() "/v1/tags";
    /// GET, PUT and DELETE of a tag.
    TAG tag(tag) "/v1/tags/{tag}";
    /// POST moves the position of a tag.
    ADVANCE advance(tag) "/v1/tags/{tag}/advance";
    /// GET lists the namespaces.
    NAMESPACES namespaces() "/v1/namespaces";
    /// GET and PUT of a namespace.
    NAMESPACE namespace(namespace) "/v1/namespaces/{namespace}";
    /// GET lists the servers of the store.
    SERVERS servers() "/v1/servers";
    /// DELETE removes a server that does not run from the store's register.
    SERVER server(server) "/v1/servers/{server}";
    /// GET: whether the process lives.
    HEALTHZ healthz() "/healthz";
    /// GET: whether leases can be had.
    READYZ readyz() "/readyz";
    /// GET shows the state of each worker number of a namespace, and its holder.
    NUMBERS_OF numbers_of(namespace) "/v1/namespaces/{namespace}/numbers";
    /// GET shows stores, tags and namespaces at a glance.
    OVERVIEW overview() "/v1/overview";
    /// GET: the metrics for a monitoring system.
    METRICS metrics() "/metrics";
    /// GET: the description of the API.
    OPENAPI openapi() "/openapi.json";
}

/// Fills the template's braces with these names, in order.
fn filled(template: &str, names: &[String]) -> String {
    let mut names = names.iter();
    let mut path = String::with_capacity(template.len() + 32);
    for part in template.split('/').skip(1) {
        path.push('/');
        let name = if part.starts_with('{') { names.next() } else { None };
        match name {
            Some(name) => put(&mut path, name),
            None => path.push_str(part),
        }
    }
    path
}

/// Appends a name, escaped so that it stays one segment of the path.
fn put(path: &mut String, name: &str) {
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b':' => {
                path.push(char::from(byte));
            }
            // Writing into a `String` cannot fail.
            _ => drop(write!(path, "%{byte:02X}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_put_in_and_stay_one_part() {
        assert_eq!(lease("a.b_c:d-e"), "/v1/segments/a.b_c:d-e/lease");
        assert_eq!(revoke("edge", 7), "/v1/workers/edge/7/release");
        assert_eq!(tags(), "/v1/tags");
        for (name, path) in [
            ("a/b", "/v1/tags/a%2Fb"),
            ("a?b#c", "/v1/tags/a%3Fb%23c"),
            ("50% ü", "/v1/tags/50%25%20%C3%BC"),
            ("{tag}", "/v1/tags/%7Btag%7D"),
            ("a\r\nb", "/v1/tags/a%0D%0Ab"),
        ] {
            assert_eq!(tag(name), path);
        }
    }

    #[test]
    fn every_template_has_as_many_braces_as_its_verb_takes() {
        for path in ALL {
            let braced = path.split('/').filter(|part| part.starts_with('{')).count();
            let names: Vec<String> = (0..braced).map(|n| format!("n{n}")).collect();
            let filled = filled(path, &names);
            assert!(!filled.contains(['{', '}']), "{filled}");
            assert!(names.iter().all(|name| filled.contains(name.as_str())), "{filled}");
        }
    }
}
