//! Figures of a store that goes back, and of an ordinary fail-over.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use leafid_servers::{Databases, Postgres, Server, for_test};
use serde_json::{Value, json};

use super::{Two, rounds};
use crate::restored::{request, serve};
use crate::support::{Home, Serving, number, says, until};

const CONNECTIONS: usize = 64;

type Ranges = Vec<(u64, u64)>;

fn agent(limit: Duration) -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    config.timeout_global(Some(limit)).proxy(None).build().new_agent()
}

fn lease(agent: &ureq::Agent, server: &str, tag: &str) -> Option<(u64, u64)> {
    ask(agent, server, tag, &json!({ "request": request() }))
}

fn ask(agent: &ureq::Agent, server: &str, tag: &str, body: &Value) -> Option<(u64, u64)> {
    let ask = agent.post(format!("{server}/v1/segments/{tag}/lease"));
    let sent = ask.header("content-type", "application/json").send(body.to_string());
    let mut answer = sent.ok()?;
    let text = answer.body_mut().read_to_string().ok()?;
    let grant: Value = serde_json::from_str(&text).ok()?;
    (answer.status() == 200).then(|| (number(&grant["start"]), number(&grant["end"])))
}

/// How many numbers are in more than one range.
fn twice(ranges: &Ranges) -> u64 {
    let mut sorted = ranges.clone();
    sorted.sort_unstable();
    let (mut end, mut found) = (0, 0);
    for (from, until) in sorted {
        found += end.min(until).saturating_sub(from);
        end = end.max(until);
    }
    found
}

/// Leases by all connections at once until a server has granted so many, and kills it under them.
fn burst(serving: &mut Serving, leases: usize) -> Ranges {
    let (had, is_over) = (Mutex::new(Ranges::new()), AtomicBool::new(false));
    let count = || had.lock().expect("nobody panicked").len();
    let url = serving.url.clone();
    std::thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| {
                let agent = agent(Duration::from_secs(30));
                while !is_over.load(Ordering::Relaxed) {
                    let Some(range) = lease(&agent, &url, "orders") else { continue };
                    had.lock().expect("nobody panicked").push(range);
                }
            });
        }
        let enough = until(|| (count() >= leases).then_some(()));
        serving.kill();
        is_over.store(true, Ordering::Relaxed);
        assert!(enough.is_some(), "only {} leases", count());
    });
    had.into_inner().expect("nobody panicked")
}

fn sqlite(journal: bool, rounds: usize) -> (usize, u64) {
    let (home, folder) = (Home::with_store(), tempfile::tempdir().expect("a folder"));
    let store = &home.store;
    says(store, &["tag", "create", "orders", "--step", "1000"]);
    says(store, &["backup", &home.at("copy.db")]);
    let mut all = Ranges::new();
    for round in 0..=rounds {
        let mut serving = serve(store, journal.then(|| folder.path()));
        serving.ready(200, &["\"ok\""]);
        if journal && round > 0 {
            serving.logs(&["STORE_WENT_BACK", "was fenced"]);
        }
        all.extend(burst(&mut serving, 2_000));
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{store}{end}"));
        }
        std::fs::copy(home.at("copy.db"), store).expect("a copy");
    }
    (all.len(), twice(&all))
}

/// The server is killed, and its file goes back to before the first lease, again and again.
#[test]
fn sqlite_grants_no_number_twice() {
    let times = rounds().map_or(1, |rounds| rounds.div_ceil(2));
    let (leases, found) = sqlite(true, times);
    println!("SQLite, back {times} times, {leases} leases of 1,000: {found} numbers twice");
    let (leases, without) = sqlite(false, 1);
    println!("SQLite, back once, {leases} leases, no journal: {without} numbers twice");
    assert_eq!(found, 0);
    assert!(without > 0, "the control finds nothing");
}

/// A client that asks the other server whenever one refuses.
fn longest_gap(
    two: &Mutex<[String; 2]>,
    is_over: &AtomicBool,
    granted: &Mutex<Ranges>,
) -> Duration {
    let agent = agent(Duration::from_secs(2));
    let (mut at, mut last, mut longest) = (0, Instant::now(), Duration::ZERO);
    let mut have_until = 1;
    while !is_over.load(Ordering::Relaxed) {
        let url = two.lock().expect("nobody panicked")[at].clone();
        let body = json!({ "request": request(), "have_until": have_until.to_string() });
        if let Some(range) = ask(&agent, &url, "orders", &body) {
            assert!(range.0 >= have_until, "{range:?} is below {have_until}");
            have_until = range.1;
            longest = longest.max(last.elapsed());
            last = Instant::now();
            granted.lock().expect("nobody panicked").push(range);
        } else {
            at = 1 - at;
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    longest.max(last.elapsed())
}

/// One of two servers is killed and starts again; the first and each fifth time only when the other one has
/// gone on without it.
#[test]
fn a_fail_over_of_servers_refuses_nobody_for_long() {
    let Some(server) = for_test::<Postgres>() else { return };
    let url = server.fresh("failover");
    says(&url, &["init"]);
    says(&url, &["tag", "create", "orders", "--step", "10"]);
    let mut two = Two::over(&url, true);
    let urls = Mutex::new(two.servers.each_ref().map(|serving| serving.url.clone()));
    let (is_over, granted) = (AtomicBool::new(false), Mutex::new(Ranges::new()));
    let times = rounds().unwrap_or(2);
    let (longest, waited) = std::thread::scope(|scope| {
        let client = scope.spawn(|| longest_gap(&urls, &is_over, &granted));
        let count = || granted.lock().expect("nobody panicked").len();
        let mut done = true;
        let mut waited = 0;
        for time in 0..times {
            let goal = count() + 50;
            done &= until(|| (count() >= goal).then_some(())).is_some();
            two.servers[time % 2].kill();
            if rounds().is_some() && time % 5 == 0 {
                let left = &two.servers[1 - time % 2];
                let dropped = || left.get("/readyz").1["servers"] == json!(1);
                done &= until(|| dropped().then_some(())).is_some();
                waited += 1;
            }
            two.servers[time % 2] = serve(&url, two.journal(time % 2));
            let new = &two.servers[time % 2];
            urls.lock().expect("nobody panicked")[time % 2].clone_from(&new.url);
            done &= until(|| (new.get("/readyz").0 == 200).then_some(())).is_some();
        }
        is_over.store(true, Ordering::Relaxed);
        let longest = client.join().expect("the client did not panic");
        assert!(done, "a server does not come back");
        (longest, waited)
    });
    let found = twice(&granted.into_inner().expect("nobody panicked"));
    println!(
        "PostgreSQL, {times} fail-overs of servers, {waited} until one was dropped: no lease for {longest:?} \
         at the longest, {found} numbers twice"
    );
    assert_eq!(found, 0);
    assert!(longest < Duration::from_secs(10), "{longest:?}");
    for serving in &two.servers {
        assert!(!serving.log().contains("was fenced"), "a false alarm: {}", serving.log());
    }
}

/// A tag is used for some seconds; then its store goes back, and it is used again.
#[test]
fn a_fence_at_rest_burns_little() {
    const STEP: u64 = 10;
    let Some(server) = for_test::<Postgres>() else { return };
    let url = server.fresh("burnt");
    says(&url, &["init"]);
    says(&url, &["tag", "create", "orders", "--step", "10"]);
    says(&url, &["tag", "create", "still", "--step", "10"]);
    let saved = tempfile::tempdir().expect("a folder");
    let two = Two::over(&url, true);
    let agent = agent(Duration::from_secs(30));
    let once =
        |serving: &Serving, tag: &str| until(|| lease(&agent, &serving.url, tag)).expect("a lease");
    let dump = saved.path().join("dump");
    server.dump("burnt", &dump).expect("a dump");
    let mut all = two.servers.iter().map(|serving| once(serving, "still").1).collect::<Vec<_>>();
    let (begun, mut used) = (Instant::now(), Vec::new());
    let seconds = if rounds().is_some() { 20 } else { 2 };
    while begun.elapsed() < Duration::from_secs(seconds) {
        used.extend(two.servers.iter().map(|serving| once(serving, "orders")));
        // At the rate of an ordinary user.
        std::thread::sleep(Duration::from_millis(100));
    }
    let a_minute = used.len() as u64 * STEP * 60 / seconds;
    server.load("burnt", &dump).expect("it is played back");
    for serving in &two.servers {
        serving.logs(&["STORE_WENT_BACK", "was fenced"]);
        serving.ready(200, &["\"ok\""]);
    }
    let end = used.iter().map(|(_, end)| *end).max().expect("a lease");
    let first = two.servers.iter().map(|serving| once(serving, "orders").0).min();
    let burnt = first.expect("a lease") - end;
    all.sort_unstable();
    let first = two.servers.iter().map(|serving| once(serving, "still").0).min();
    let of_still = first.expect("a lease") - all[1];
    println!(
        "PostgreSQL, two servers, a fence after {seconds} s of {} leases: {burnt} numbers burnt, of {a_minute} \
         that a minute uses; of a tag that was leased twice {of_still}",
        used.len()
    );
    assert!(burnt <= a_minute.max(STEP) && of_still <= 2 * STEP, "{burnt}, {of_still}");
}
