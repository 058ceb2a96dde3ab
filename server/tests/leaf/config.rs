//! `leafid serve --leaf-config leaf.properties`.

use std::path::PathBuf;

use crate::client::Running;
use crate::support::{fails, has};

pub fn file(folder: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("leaf.properties");
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn a_mode_that_is_off_answers_nought() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = format!("sqlite:{}", folder.path().join("leafid.db").display());
    let path = file(&folder, "leaf.segment.enable=false\nleaf.snowflake.enable=false\n");
    let mut leaf =
        Running::start(&["--store", &store, "--leaf-config", path.to_str().expect("a path")]);
    for path in ["/api/segment/get/any", "/api/segment/get/other", "/api/snowflake/get/any"] {
        assert_eq!(leaf.get(path), "0", "{path}");
    }
    for path in ["/cache", "/db"] {
        let answer = leaf.client.call("GET", path, &[]);
        assert_eq!(answer.status, 500, "{path}: {}", answer.body);
        assert!(answer.body.contains("\"status\":500,\"error\":\"Internal Server Error\""));
    }
}

#[test]
fn what_leaf_stumbles_over_is_refused_with_a_cure() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = "leaf.jdbc.url=jdbc:mysql://127.0.0.1:1/leaf\nleaf.jdbc.username=ids\n\
                    leaf.jdbc.password=s3cret\n";
    for (more, store, says) in [
        ("leaf.snowflake.enable=on", &[][..], "`on`, which Leaf silently takes for false"),
        ("leaf.snowflake.enable=false", &["--store", "sqlite:other.db"], "two stores are named"),
    ] {
        let path = file(&folder, &format!("{database}{more}\n"));
        let config = path.to_str().expect("a path");
        let serve = ["serve", "--listen", "127.0.0.1:0", "--leaf-config", config];
        let said = fails("", &[&serve[..], store].concat(), 1);
        assert!(said.contains(says) && !said.contains("s3cret"), "{said}");
    }
    let missing = folder.path().join("missing.properties");
    let missing = missing.to_str().expect("a path");
    let said = fails("", &["serve", "--leaf-config", missing], 1);
    has(&said, &["cannot be read", "leaf.properties"]);
}
