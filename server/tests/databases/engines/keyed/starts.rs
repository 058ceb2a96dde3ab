//! Starts over bad keys, wrong passwords and missing rights: each is named, and no password is shown.

use std::sync::Arc;

use leafid_core::StoreTime;
use leafid_servers::{Etcd, Server, Zookeeper, for_test, for_test_with};
use leafid_store::backends::far;
use leafid_store::backends::opening::Options;
use leafid_store::clock::{Clock, ManualClock};
use leafid_store::registry::Registry;
use serde_json::json;
use zookeeper_client::{Acl, Acls, AuthId, CreateMode, Permission};

use super::keys::{Keys, ask, ask_with, by_hand};
use crate::asks::{acquire, namespace};
use crate::opens::{Opens, in_the_end, served};
use crate::support::{fails, has, play, refusal, says};
use crate::{REQUEST, SERVE, is_refused, lets_in, serve};

/// An unreadable key is named and the rest goes on; a server does not start over it.
fn nonsense_is_named<S: Keys>(server: S) {
    let url = server.url();
    says(&url, &["init"]);
    for tag in ["bad", "good"] {
        says(&url, &["tag", "create", tag]);
    }
    let serving = serve(&url, &[]);
    let acquire = |request: &str| {
        let body = json!({ "request": request, "owner": "a" });
        serving.patient("/v1/workers/default/acquire", &body)
    };
    let (status, first) = acquire(REQUEST);
    assert_eq!((status, &first["worker"]), (200, &json!(0)), "{first}");
    let (tag, worker) = ("tags/bad", S::worker(namespace(), 0));
    let nonsense = [(tag.to_owned(), "{\"max_id\":7}".to_owned()), (worker, "cheese".to_owned())];
    server.put(&nonsense);
    let lease = |tag: &str| {
        let path = format!("/v1/segments/{tag}/lease");
        serving.patient(&path, &json!({ "request": REQUEST }))
    };
    let refused = refusal(lease("bad"), 500, "SCHEMA_MISMATCH");
    let detail = refused["detail"].as_str().unwrap_or_default();
    has(detail, &["/leafid/tags/bad", "max_id"]);
    assert_eq!(lease("good").0, 200);
    // The number of the unreadable row is not granted, and its holder loses the lease.
    let (status, second) = acquire("1123456789abcdef0123456789abcdef");
    assert_eq!((status, &second["worker"]), (200, &json!(1)), "{second}");
    serving.logs(&["ERROR", "max_id"]);
    has(&fails(&url, &SERVE, 1), &["SCHEMA_MISMATCH", tag]);
}

each!(keyed nonsense_is_named);

#[test]
fn etcd_that_does_not_sync_is_refused() {
    let Some(server) = for_test_with::<Etcd>(&["unsafe-no-fsync"]) else { return };
    let url = server.url();
    says(&url, &["init"]);
    has(&fails(&url, &SERVE, 1), &["STORE_REFUSED", "--unsafe-no-fsync"]);
    let serving = serve(&url, &["--allow-unsafe-settings"]);
    serving.ready(200, &["\"ok\""]);
    serving.logs(&["WARN", "--unsafe-no-fsync"]);
}

#[test]
fn a_wrong_password_for_etcd_is_not_said() {
    // The cheapest password hash: on a busy machine a slow answer would time out.
    let Some(server) = for_test_with::<Etcd>(&["bcrypt-cost=4"]) else { return };
    with_users(&server);
    let url = |login: &str| format!("etcd://{login}127.0.0.1:{}/leafid", server.port());
    for login in ["shop:wr0ng-s3cret@", "root:@", ""] {
        // Also when another member of the URL is down.
        let two = url(login).replace("/leafid", ",127.0.0.1:1/leafid");
        for (url, verb) in [(url(login), &["init"][..]), (two, &SERVE)] {
            is_refused(&url, verb, &["UNAUTHORIZED: ", "does not let this server in"]);
        }
    }
    let good = url("shop:s3cret%2Fx@");
    says(&good, &["init"]);
    says(&good, &["tag", "create", "orders"]);
    lets_in(&good, "s3cret");
    let other = good.replace("/leafid", "/other");
    is_refused(&other, &["init"], &["permission denied", "FORBIDDEN: "]);
    is_refused(&url("eye:l00k@"), &SERVE, &["FORBIDDEN: "]);
}

/// Turns on etcd's users: `root`, `shop` with the rights that the page on stores names, and `eye`, which
/// may only read.
fn with_users(server: &Etcd) {
    for (name, password, right) in
        [("root", "r00t", ""), ("shop", "s3cret/x", "READWRITE"), ("eye", "l00k", "READ")]
    {
        ask(server, "auth/user/add", &json!({ "name": name, "password": password }));
        if !right.is_empty() {
            ask(server, "auth/role/add", &json!({ "name": name }));
            // `/leafid/` and all keys below it.
            let all =
                json!({ "permType": right, "key": "L2xlYWZpZC8=", "range_end": "L2xlYWZpZDA=" });
            ask(server, "auth/role/grant", &json!({ "name": name, "perm": all }));
        }
        ask(server, "auth/user/grant", &json!({ "user": name, "role": name }));
    }
    ask(server, "auth/enable", &json!({}));
}

/// Etcd's signed tokens become invalid as soon as any user or role is changed.
#[test]
fn a_server_goes_on_when_the_users_of_etcd_were_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let key = folder.path().join("key");
    std::fs::write(&key, [b'k'; 32]).expect("a file");
    let setting = format!("auth-token=jwt,priv-key={},sign-method=HS256,ttl=10m", key.display());
    let Some(server) = for_test_with::<Etcd>(&[&setting, "bcrypt-cost=4"]) else { return };
    with_users(&server);
    let url = format!("etcd://shop:s3cret%2Fx@127.0.0.1:{}/leafid", server.port());
    says(&url, &["init"]);
    says(&url, &["tag", "create", "orders"]);
    let serving = serve(&url, &[]);
    serving.ready(200, &["\"ok\""]);
    let root = ask(&server, "auth/authenticate", &json!({ "name": "root", "password": "r00t" }));
    let token = root["token"].as_str().expect("a token");
    ask_with(&server, token, "auth/role/add", &json!({ "name": "other" }));
    says(&serving.url, &["next", "orders"]);
    serving.ready(200, &["\"ok\""]);
}

#[test]
fn a_wrong_password_for_zookeeper_is_not_said() {
    let Some(server) = for_test::<Zookeeper>() else { return };
    let url = |login: &str| format!("zk://{login}127.0.0.1:{}/leafid", server.port());
    let good = url("shop:s3cret@");
    says(&good, &["init"]);
    says(&good, &["tag", "create", "orders"]);
    for login in ["shop:wr0ng-s3cret@", ""] {
        is_refused(&url(login), &SERVE, &["UNAUTHORIZED: ", "user or password is wrong"]);
    }
    lets_in(&good, "s3cret");
}

/// ZooKeeper refuses clients without a user.
#[test]
fn zookeeper_that_demands_a_user_has_one_or_says_so() {
    let demands = ["enforce.auth.enabled=true", "enforce.auth.schemes=digest"];
    let Some(server) = for_test_with::<Zookeeper>(&demands) else { return };
    is_refused(&server.url(), &SERVE, &["UNAUTHORIZED: "]);
    let url = format!("zk://shop:s3cret@127.0.0.1:{}/leafid", server.port());
    says(&url, &["init"]);
}

/// Nodes that a user may read but not write.
#[test]
fn a_right_that_is_missing_in_zookeeper_is_named() {
    let Some(server) = for_test::<Zookeeper>() else { return };
    by_hand(&server, async |client| {
        let read = CreateMode::Persistent.with_acls(Acls::anyone_read());
        client.create("/only", b"", &read).await.expect("a node");
    });
    says(&server.url(), &["init"]);
    by_hand(&server, async |client| {
        let read = [Acl::new(Permission::READ, AuthId::anyone())];
        client.set_acl("/leafid/probe", &read, None).await.expect("another right");
    });
    let only = format!("zk://shop:s3cret@127.0.0.1:{}/only", server.port());
    for (url, verb) in [(only, &["init"][..]), (server.url(), &SERVE)] {
        is_refused(&url, verb, &["FORBIDDEN: ", "docs/STORES.md"]);
    }
}

#[test]
fn etcd_is_spoken_to_by_tls_if_its_certificate_is_known() {
    let Some(lone) = for_test::<Etcd>() else { return };
    let (server, certificate) = Etcd::secure().expect("etcd with TLS");
    let trusted = format!("{}?ca={}", server.url(), certificate.display());
    says(&trusted, &["init"]);
    says(&trusted, &["tag", "create", "orders"]);
    let serving = serve(&trusted, &[]);
    serving.ready(200, &["\"ok\""]);
    says(&serving.url, &["next", "orders"]);
    // Its certificate has no trusted authority, and it accepts no plain connection.
    for url in [server.url(), server.url().replace("etcds", "etcd")] {
        play(&url, "tag list =1 STORE_UNAVAILABLE");
    }
    // Trying again cannot help, so a server does not wait.
    is_refused(&server.url(), &SERVE, &["UnknownIssuer", "?ca=FILE"]);
    let (other, _) = Etcd::secure().expect("etcd with TLS");
    let mistaken = format!("{}?ca={}", other.url(), certificate.display());
    play(&mistaken, "init =1 certificate");
    drop(lone);
}

async fn a_clock_that_strays_is_refused<S: Opens>(server: S) {
    let url = server.url();
    let open = |days: i64, believe_clock: bool| {
        let at = StoreTime::new((20_000 + days) * 86_400_000);
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(at));
        let own_clock = true;
        let options = Options { create: true, believe_clock, own_clock, ..Options::default() };
        in_the_end(|| far::open::<S::BackEnd>(&S::address(&url), "here", clock.clone(), &options))
            .map(|back_end| Registry::over(None, back_end, false).expect("a thread"))
    };
    let granted =
        async |registry: Registry, n| served(async || registry.acquire(acquire(n)).await).await;
    let first = granted(open(0, false).expect("a store"), 1).await;
    for days in [-3, 60] {
        let refused = open(days, false).expect_err("far away");
        assert!(refused.problem.detail.contains("--believe-clock"), "{:?}", refused.problem);
    }
    // Granted windows stay reserved, whatever the time is.
    let earlier = granted(open(-3, true).expect("it is believed"), 2).await;
    assert!(earlier.worker != first.worker && earlier.ticks.start < first.ticks.start);
    assert!(open(-3, false).is_ok(), "it is not strange any more");
}

each!(keyed async a_clock_that_strays_is_refused);
