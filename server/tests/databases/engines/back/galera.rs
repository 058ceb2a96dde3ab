//! A member of a Galera cluster that lags: a store that is a little late has not gone back.

use leafid_servers::{Galera, Server};

use super::{GRANTS, Two};
use crate::crash::prepare;
use crate::restored::serve;

/// Two servers of ours, each with a member of its own; then both with the member that lags.
#[test]
#[ignore = "takes a minute: `cargo xtask nightly --only back`"]
fn a_member_of_galera_that_lags_has_not_gone_back() {
    let Some(cluster) = Galera::for_test() else { return };
    let urls = {
        let first = cluster.members[0].fresh("lags");
        let port = |at: usize| format!(":{}/", cluster.members[at].port());
        [first.clone(), first.replace(&port(0), &port(1))]
    };
    prepare(&urls[0]);
    let mut two = Two::over(&urls[0], true);
    two.servers[1].kill();
    two.servers[1] = serve(&urls[1], two.journal(1));
    two.servers[1].ready(200, &["\"ok\""]);
    let load = two.load();
    load.goes_on(GRANTS);
    let mut logs = String::new();
    for _ in 0..3 {
        let lags = cluster.lag(1).expect("a lock");
        two.servers[0].kill();
        logs += &two.servers[0].log();
        two.servers[0] = serve(&urls[1], two.journal(0));
        load.replace(0, &two.servers[0].url);
        drop(lags);
        load.goes_on(2 * GRANTS);
        two.servers[0].kill();
        logs += &two.servers[0].log();
        two.servers[0] = serve(&urls[0], two.journal(0));
        load.replace(0, &two.servers[0].url);
        load.goes_on(2 * GRANTS);
    }
    let verdict = load.end();
    println!("Galera, a member that lags: {verdict:?}");
    assert_eq!(verdict.overlaps, 0);
    logs += &two.servers[0].log();
    logs += &two.servers[1].log();
    assert!(!logs.contains("was fenced"), "a false alarm: {logs}");
}
