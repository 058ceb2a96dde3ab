//! Another program's keys at a store's path, and a store of another version.

use super::keys::Keys;
use crate::support::{fails, has, play, says};

fn what_others_wrote_is_refused<S: Keys>(server: S) {
    let url = server.url();
    server.put(&[("theirs".to_owned(), "x".to_owned())]);
    play(&url, "init =1 SCHEMA_MISMATCH & another program");
    server.wipe();
    says(&url, &["init"]);
    let other = "{\"version\":2,\"store\":\"00000000000000000000000000000001\",\"colour\":\"red\"}";
    for (text, word) in [(other, "version 2"), ("{}", "version"), ("cheese", "not JSON")] {
        server.put(&[("meta".to_owned(), text.to_owned())]);
        for verb in [&["init"][..], &["serve", "--listen", "127.0.0.1:0"]] {
            has(&fails(&url, verb, 1), &["SCHEMA_MISMATCH", word]);
        }
    }
}

each!(keyed what_others_wrote_is_refused);
