//! A URL that cannot be used is refused without its password in the message.

use crate::SERVE;
use crate::support::{fails, says};

#[test]
fn a_url_that_cannot_be_used_is_not_repeated() {
    for url in [
        "postgres://u:s3cret@127.0.0.1:port/d",
        "mysql://u:s3cret@127.0.0.1",
        "postgre://u:s3cret@127.0.0.1/d",
        "etcd://u:s3cret@127.0.0.1:port",
        "zk://s3cret@127.0.0.1",
    ] {
        let refused = fails(url, &SERVE, 1);
        assert!(refused.contains("REQUEST_INVALID") && !refused.contains("s3cret"), "{refused}");
    }
    // The name of a file is no secret.
    let refused = fails("etcds://h:1/?ca=s3cret", &SERVE, 1);
    assert!(refused.contains("REQUEST_INVALID"), "{refused}");
    let help = says("postgres://u:s3cret@127.0.0.1/d", &["serve", "--help"]);
    assert!(help.contains("LEAFID_STORE") && !help.contains("s3cret"), "{help}");
}
