//! A disk that fills up under load: requests are refused clearly, and nothing is granted twice.
#![cfg(target_os = "linux")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use serde_json::{Value, json};

use crate::ranges::overlaps;
use crate::support::{Home, call, number, refusal, says, until};

const CLIENTS: u64 = 4;
/// How many leases are granted before the disk is full, and again after it has room.
const SOME: usize = 40;

#[test]
fn a_disk_that_fills_under_load_loses_nothing() {
    let home = Home::new();
    let (mut serving, room) = home.serve_on_a_small_disk();
    says(&serving.url, &["tag", "create", "orders", "--step", "10"]);
    serving.ready(200, &["\"ok\""]);
    room(Some(1));
    let told = serving.ready(503, &["STORE_UNAVAILABLE", "the store's file failed"]);
    assert_eq!(told["status"], 503, "{told}");
    refusal(serving.lease("orders", &json!({})), 503, "STORE_UNAVAILABLE");
    room(None);
    serving.ready(200, &["\"ok\""]);

    let range = |grant: &Value| (number(&grant["start"]), number(&grant["end"]));
    let (granted, refused) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    let (over, url) = (AtomicBool::new(false), serving.url.clone());
    let client = |n: u64| {
        let mut asked = 0;
        while !over.load(SeqCst) {
            asked += 1;
            let ask = json!({ "request": format!("{n:016x}{asked:016x}") });
            let (status, answer) = call(&url, "POST", "/v1/segments/orders/lease", &ask);
            if status == 200 {
                granted.lock().unwrap().push(range(&answer));
            } else {
                let code = &answer["code"];
                assert_eq!((status, code), (503, &json!("STORE_UNAVAILABLE")), "{answer}");
                refused.fetch_add(1, SeqCst);
            }
        }
    };
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|n| scope.spawn(move || client(n))).collect();
        let had = || granted.lock().unwrap().len();
        let reach = |count: usize| until(|| (had() >= count).then_some(()));
        let before = reach(SOME);
        room(Some(1));
        let full = until(|| (refused.load(SeqCst) >= CLIENTS as usize).then_some(()));
        room(None);
        let after = reach(had() + SOME);
        over.store(true, SeqCst);
        clients.into_iter().for_each(|client| client.join().unwrap());
        assert_eq!((before, full, after), (Some(()), Some(()), Some(())), "of {} leases", had());
    });
    serving.logs(&["ERROR not committed", "the store's file failed"]);
    serving.logs(&[" INFO committed again"]);

    let mut granted = granted.into_inner().unwrap();
    println!("{} leases, {} refused", granted.len(), refused.load(SeqCst));
    assert_eq!(overlaps(granted.clone()), 0);
    // Every grant is in the file, even after a kill.
    serving.kill();
    let again = home.serve(&[]);
    let ask = json!({ "request": format!("{:032x}", u128::MAX) });
    let next = call(&again.url, "POST", "/v1/segments/orders/lease", &ask).1;
    granted.push(range(&next));
    assert_eq!(overlaps(granted.clone()), 0);
    // The control: a lease that is granted twice is found.
    granted.push(granted[SOME]);
    assert_eq!(overlaps(granted), 1);
}
