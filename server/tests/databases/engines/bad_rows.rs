//! Runs [`crate::bad_rows`] over our tables, Leaf's table, and keys.

use leafid_servers::{Databases, LEAF_ALLOC};
use serde_json::json;

use super::keyed::keys::Keys;
use crate::bad_rows::is_refused_alone;

fn in_tables<S: Databases>(server: S, tags: &str, tag: &str) {
    let mut url = server.fresh("strange");
    let is_leafs = tags == "leaf_alloc";
    if is_leafs {
        server.run("strange", LEAF_ALLOC).expect("Leaf's table");
        url.push_str("?tags=leaf_alloc");
    }
    is_refused_alone(&url, &|name, max_id, step| {
        // Leaf's table does not restrict a step.
        let step = if step == 0 && is_leafs { -5 } else { step as i64 };
        let set =
            format!("UPDATE {tags} SET max_id = {max_id}, step = {step} WHERE {tag} = '{name}'");
        server.run("strange", &set).expect("an update");
    });
}

each!(
    in_tables:
    postgres Postgres("leafid.tags", "tag"),
    mariadb Mariadb("tags", "tag"),
    leafs Mariadb("leaf_alloc", "biz_tag"),
);

fn in_keys<S: Keys>(server: S) {
    is_refused_alone(&server.url(), &|tag, max_id, step| {
        let key = format!("tags/{tag}");
        let row = json!({
            "max_id": max_id.to_string(), "step": step, "max_step": 1_000_000, "deleted": false
        });
        server.put(&[(key, row.to_string())]);
    });
}

each!(keyed in_keys);
