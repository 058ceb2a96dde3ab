//! SIGTERM: the listener is closed, what is under way is answered, the server's own windows are
//! given back; a restart goes on above.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

use leafid_stream::http;
use leafid_stream::store::Store;
use serde_json::json;

use crate::setting::{LIMIT, NAMESPACE, Setting, TAG, workers};

#[test]
fn sigterm_drains_releases_and_a_restart_goes_on_above() {
    let Some(setting) = Setting::find_server("server ended by SIGTERM") else { return };
    let mut store = setting.store("store");
    let mut numbers = draw(&store, "segments", TAG, 250);
    let mut snowflakes = draw(&store, "snowflake", NAMESPACE, 250);
    assert_eq!(workers(&store), (1, 1), "the server holds a window of its own");

    // A request whose body has not come yet; the server says that it waits for it.
    let body = json!({ "count": 10 }).to_string();
    let head = format!(
        "POST /v1/segments/{TAG}/ids HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
        store.address(),
        body.len()
    );
    let mut under_way = TcpStream::connect(store.address()).expect("it listens");
    under_way.set_read_timeout(Some(LIMIT)).expect("a limit can be set");
    under_way.write_all(head.as_bytes()).expect("it reads");
    let mut goes_on = [0; 25];
    under_way.read_exact(&mut goes_on).expect("it answers");
    assert_eq!(&goes_on, b"HTTP/1.1 100 Continue\r\n\r\n");

    store.ask_to_end();
    until_closed(store.address());
    under_way.write_all(body.as_bytes()).expect("it still reads");
    let mut answer = String::new();
    under_way.read_to_string(&mut answer).expect("it still answers");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let drained = answer.split_once("\r\n\r\n").map(|(_, body)| body).expect("a whole answer");
    numbers.extend(ids(&serde_json::from_str(drained).expect("JSON")));
    let status = store.wait().expect("it ends in time");
    assert!(status.success(), "{status}");

    store.start_again().expect("it starts again");
    assert_eq!(workers(&store), (1, 0), "the window was given back");
    let (end, now) = end_of_the_window(&store);
    assert!(end <= now, "the number rests until {end}, it is {now}");
    let (more, later) =
        (draw(&store, "segments", TAG, 250), draw(&store, "snowflake", NAMESPACE, 250));
    assert!(more.iter().min() > numbers.iter().max(), "the numbers go on above");
    assert!(later.iter().min() > snowflakes.iter().max(), "the snowflake IDs go on above");
    numbers.extend(more);
    snowflakes.extend(later);
    for ids in [&mut numbers, &mut snowflakes] {
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "no ID comes twice");
    }
    store.terminate().expect("it ends in time");
    setting.tell(&format!(
        "{} numbers, {} snowflake IDs, 1 request drained, 1 window given back, 1 restart",
        numbers.len(),
        snowflakes.len()
    ));
    assert_eq!((numbers.len(), snowflakes.len()), (510, 500));
}

#[test]
fn control_a_killed_server_gives_nothing_back() {
    let Some(setting) = Setting::find_server("control: server killed") else { return };
    let mut store = setting.store("store");
    let ids = draw(&store, "snowflake", NAMESPACE, 10);
    let (end, _) = end_of_the_window(&store);
    store.kill();
    store.start_again().expect("it starts again");
    // However long that took: the number is reserved to the same end, or a renewal's.
    let (later, _) = end_of_the_window(&store);
    assert!(later >= end, "reserved until {end} before the kill, until {later} after it");
    setting.tell(&format!("{} IDs, 1 window reserved to its end after the kill", ids.len()));
}

/// Until when the one worker number is reserved, and the store's time, in ms.
fn end_of_the_window(store: &Store) -> (i64, i64) {
    let list = store.get(&format!("/v1/workers/{NAMESPACE}")).expect("a list");
    let end = list["workers"][0]["reserved_until_ms"].as_i64().expect("a worker has an end");
    (end, list["now_ms"].as_i64().expect("the list has a time"))
}

fn draw(store: &Store, kind: &str, name: &str, count: u64) -> Vec<u64> {
    let path = format!("/v1/{kind}/{name}/ids");
    let body = json!({ "count": count });
    let (status, answer) =
        http::ask(store.address(), "POST", &path, Some(&body)).expect("it answers");
    assert_eq!(status, 200, "{path}: {answer}");
    ids(&answer)
}

fn ids(answer: &serde_json::Value) -> Vec<u64> {
    let ids = answer["ids"].as_array().expect("`ids` is a list").iter();
    let id = |id: &serde_json::Value| id.as_str().and_then(|text| text.parse().ok());
    ids.map(|one| id(one).expect("an ID is decimal text")).collect()
}

fn until_closed(address: SocketAddr) {
    let deadline = Instant::now() + LIMIT;
    while TcpStream::connect(address).is_ok() {
        assert!(Instant::now() < deadline, "the listener is still open");
    }
}
