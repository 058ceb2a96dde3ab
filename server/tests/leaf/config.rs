//! `leafid serve --leaf-config leaf.properties`.

use crate::client::Running;
use crate::support::{Home, fails, has};

#[test]
fn a_mode_that_is_off_answers_nought() {
    let home = Home::new();
    let off = "leaf.segment.enable=false\nleaf.snowflake.enable=false\n";
    let config = home.write("leaf.properties", off);
    let mut leaf = Running::start(&["--store", &home.store, "--leaf-config", &config]);
    for path in ["/api/segment/get/any", "/api/segment/get/other", "/api/snowflake/get/any"] {
        assert_eq!(leaf.get(path), "0", "{path}");
    }
    for path in ["/cache", "/db"] {
        let answer = leaf.call("GET", path, &[]);
        assert_eq!(answer.status, 500, "{path}: {}", answer.body);
        assert!(answer.body.contains("\"status\":500,\"error\":\"Internal Server Error\""));
    }
}

#[test]
fn what_leaf_stumbles_over_is_refused_with_a_cure() {
    let home = Home::new();
    let database = "leaf.jdbc.url=jdbc:mysql://127.0.0.1:1/leaf\nleaf.jdbc.username=ids\n\
                    leaf.jdbc.password=s3cret\n";
    for (more, store, says) in [
        ("leaf.snowflake.enable=on", &[][..], "`on`, which Leaf silently takes for false"),
        ("leaf.snowflake.enable=false", &["--store", "sqlite:other.db"], "two stores are named"),
    ] {
        let config = home.write("leaf.properties", &format!("{database}{more}\n"));
        let serve = ["serve", "--listen", "127.0.0.1:0", "--leaf-config", &config];
        let said = fails("", &[&serve[..], store].concat(), 1);
        assert!(said.contains(says) && !said.contains("s3cret"), "{said}");
    }
    let missing = ["serve", "--leaf-config", &home.at("missing.properties")];
    has(&fails("", &missing, 1), &["cannot be read", "leaf.properties"]);
}
