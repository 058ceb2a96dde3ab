//! URLs of stores, and Leaf's of JDBC. A password in one is in no message.

use leafid_leaf::jdbc;
use leafid_store::opening::Place;

use super::{Fate, Target};
use crate::cli::named::{file, masked, path};

/// The password in the corpus.
const SECRET: &str = "s3cr3t";

const WORDS: &str = "postgres:// | postgresql:// | mysql:// | etcd:// | zk:// | zookeeper:// | sqlite: | memory: | \
    https:// | jdbc:mysql:// | // | %00 | %2F | %FF | [::1] | .. | :65536 | :0 | tags=leaf_alloc | \
    sslmode=require | useSSL=false | localhost | 127.0.0.1 | user:s3cr3t@";

#[test]
fn urls() {
    let target = Target { name: "urls", inputs: 6_000, words: WORDS };
    target.fuzz(|input| {
        let Ok(text) = str::from_utf8(input) else { return Ok(Fate::Refused) };
        let database = Place::parse(text);
        let said = [
            database.as_ref().and_then(|read| read.as_ref().err()).map(|why| why.detail.clone()),
            file(text, "--store").err().map(|why| why.detail),
            path(text).err().map(|why| why.detail),
        ];
        // Whatever follows, here a password stands, and nowhere else.
        let begins = ["postgres://", "mysql://", "etcd://", "https://"];
        let begins = begins.into_iter().filter_map(|scheme| text.strip_prefix(scheme));
        let guarded = begins.into_iter().any(|rest| rest.starts_with(&format!("user:{SECRET}@")))
            && text.matches(SECRET).count() == 1;
        let told = said.into_iter().flatten().chain([masked(text)]);
        for told in told.filter(|_| guarded) {
            if told.contains(SECRET) {
                return Err(format!("the password is told: {told}"));
            }
        }
        let _ = jdbc::url(text, "user", SECRET);
        Ok(match database {
            Some(Ok(_)) => Fate::Taken,
            _ => Fate::Refused,
        })
    });
}
