//! Runs [`crate::config`] with a file that names a database.

use std::process::Command;

use leafid_servers::{Databases, Mariadb, Server, for_test};

use super::running::database;
use crate::client::Running;
use crate::support::{Home, LEAFID, refused};

#[test]
fn the_file_names_the_store_and_its_password_is_never_shown() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let home = Home::new();
    database(&server, "leaf", "('leaf-segment-test', 1, 2000, 'Test leaf Segment Mode')");
    server
        .run("leaf", "CREATE USER ids IDENTIFIED BY 's3:c@ret'; GRANT ALL ON leaf.* TO ids")
        .expect("a user");
    let text = |password: &str| {
        format!(
            "leaf.name=com.sankuai.leaf.opensource.test\nleaf.segment.enable=true\n\
             leaf.jdbc.url=jdbc:mysql://127.0.0.1:{}/leaf?useUnicode=true&useSSL=false\n\
             leaf.jdbc.username=ids\nleaf.jdbc.password={password}\n\n\
             leaf.snowflake.enable=false\n#leaf.snowflake.zk.address=\n#leaf.snowflake.port=\n\
             leaf.segmnet.step=5\n",
            server.port()
        )
    };
    let config = home.write("leaf.properties", &text("s3\\:c@ret"));
    let mut leaf = Running::start(&["--leaf-config", &config]);
    assert_eq!(leaf.number("/api/segment/get/leaf-segment-test"), 1);
    leaf.serving.logs(&["unknown key `leaf.segmnet.step`"]);
    assert!(leaf.serving.first.contains("mysql://ids@127.0.0.1"), "{}", leaf.serving.first);
    let first = leaf.serving.first.clone();
    let (code, rest) = leaf.serving.end("-TERM");
    assert_eq!(code, Some(0));
    home.write("leaf.properties", &text("s3wrong"));
    let mut command = Command::new(LEAFID);
    command.args(["serve", "--listen", "127.0.0.1:0", "--listen-leaf", "127.0.0.1:0"]);
    // A server does not wait with a wrong password.
    let said = refused(command.arg("--leaf-config").arg(config), 1);
    for text in [first, rest, leaf.serving.log(), said] {
        assert!(!text.contains("ret") && !text.contains("s3wrong"), "{text}");
    }
}
