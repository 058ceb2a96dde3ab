//! Runs [`crate::bad_rows`] over our tables, Leaf's table, and keys.

use leafid_servers::{Databases, LEAF_ALLOC, Mariadb, Server, for_test};
use serde_json::json;

use super::keyed::keys::Keys;
use crate::bad_rows::is_refused_alone;

fn in_tables<S: Databases>(server: S, tags: &str) {
    let url = server.fresh("strange");
    is_refused_alone(&url, &|tag, max_id, step| {
        let set = format!("UPDATE {tags} SET max_id = {max_id}, step = {step} WHERE tag = '{tag}'");
        server.run("strange", &set).expect("an update");
    });
}

each!(in_tables: postgres Postgres("leafid.tags"), mariadb Mariadb("tags"));

/// Leaf's table does not restrict a step.
#[test]
fn in_leafs_table() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let url = server.fresh("leafs");
    server.run("leafs", LEAF_ALLOC).expect("Leaf's table");
    is_refused_alone(&format!("{url}?tags=leaf_alloc"), &|tag, max_id, step| {
        let step = if step == 0 { -5 } else { step as i64 };
        let set = format!(
            "UPDATE leaf_alloc SET max_id = {max_id}, step = {step} WHERE biz_tag = '{tag}'"
        );
        server.run("leafs", &set).expect("an update");
    });
}

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
