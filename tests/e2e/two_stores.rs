//! Two stores with empty databases behind one address: the second answer stops the client.

use leafid_core::Layout;
use leafid_stream::hosts::{Draw, Program};
use leafid_stream::line::{Kind, Line};
use leafid_stream::stream::{Host, Stream};

use crate::proxy::Proxy;
use crate::setting::{LIMIT, STEP, Setting, draw, start, until};

/// IDs per second of each host.
const RATE: u32 = 100;
/// IDs per second of a host that has to hear the second answer before its first step is spent.
const SLOW: u32 = 5;
/// Calls that are refused of each host before nobody looks any more.
const REFUSALS: u64 = 5;

#[test]
fn the_second_answer_stops_the_client() {
    let Some(setting) = Setting::find("two stores, one address") else { return };
    let stores = [setting.store("a"), setting.store("b")];
    let addresses = stores.each_ref().map(|store| store.address());
    let stage = setting.stage();
    let mut stream = Stream::new(Layout::LEAF);
    let mut proxies = Vec::new();
    for program in Program::ALL {
        for kind in [Kind::Segment, Kind::Snowflake] {
            // One address each, so that a client's first answer is the first store's.
            let proxy = Proxy::start(&addresses);
            let draw = Draw { only: Some(kind), ..draw(&proxy.url(), SLOW) };
            start(&mut stream, &stage, program, &draw);
            proxies.push(proxy);
        }
    }
    let hosts = proxies.len();
    let mut after_the_stop = vec![0; hosts];
    let mut refused = vec![0; hosts];
    let mut asked_at_the_stop = vec![0; hosts];
    let stopped = |stream: &Stream| {
        let refusals = |host: &Host| host.segment.refusals + host.snowflake.refusals;
        stream.hosts().iter().all(|host| refusals(host) >= REFUSALS || host.unasked_end())
    };
    let all_stopped = stream.watch(
        LIMIT,
        |event| match event.line {
            Line::Error(..) => {
                if refused[event.host] == 0 {
                    asked_at_the_stop[event.host] = proxies[event.host].requests();
                }
                refused[event.host] += 1;
            }
            Line::Numbers { .. } | Line::Snowflakes { .. } if refused[event.host] > 0 => {
                after_the_stop[event.host] += 1;
            }
            _ => {}
        },
        stopped,
    );
    assert_eq!(stream.fault(), None);
    assert!(all_stopped, "refused so far: {refused:?}");
    let requests: Vec<_> = proxies.iter().map(Proxy::requests).collect();
    let ids: Vec<_> = stream.hosts().iter().map(|host| host.ids()).collect();
    stream.close(LIMIT).expect("a stopped generator can be closed");
    for (host, requests) in stream.hosts().iter().zip(&requests) {
        for refused in host.segment.refused.iter().chain(&host.snowflake.refused) {
            assert_eq!(refused.code, "STORE_CHANGED", "{}: {}", host.name, refused.message);
        }
        assert!(host.ids() > 0, "{} never began", host.name);
        // One store granted all that was handed out: each answer but the other's is one step. There are
        // more than two where an ask whose answer was slow was sent once more.
        let most = STEP * (*requests as u64).saturating_sub(1);
        assert!(host.segment.ids <= most, "{} drew {} numbers", host.name, host.segment.ids);
    }
    // Stopped with numbers in hand, which the other store may have granted, too. One that had to wait
    // a second for the second answer had none left, but not all of them.
    assert!(stream.hosts().iter().any(|host| (1..STEP).contains(&host.segment.ids)), "{ids:?}");
    assert_eq!(after_the_stop, vec![0; hosts], "IDs after the stop");
    // The first answer, the second, and none after it. An ask whose answer is slow is sent once more.
    assert_eq!(requests, asked_at_the_stop, "requests after the stop");
    assert!(requests.iter().all(|count| *count >= 2), "{requests:?} requests");
    setting.tell(&format!(
        "{hosts} clients, {refused:?} calls refused with STORE_CHANGED, IDs before it {ids:?}, \
         answers until it {requests:?}"
    ));
}

#[test]
fn control_without_the_stop_two_stores_give_the_same_ids() {
    let Some(setting) = Setting::find("control: two stores, two addresses") else { return };
    let stores = [setting.store("a"), setting.store("b")];
    let stage = setting.stage();
    let mut stream = Stream::new(Layout::LEAF);
    for store in &stores {
        start(&mut stream, &stage, Program::Python, &draw(&store.url(), RATE));
    }
    until(&mut stream, "IDs of both", |stream| {
        let enough = |host: &Host| host.segment.ids >= 100 && host.snowflake.ids >= 100;
        // Both hold the same worker, so snowflake IDs come twice as soon as both have drawn after
        // the other did.
        let twice = drawn(stream) - stream.checker.numbers();
        stream.hosts().iter().all(enough) && stream.checker.duplicates() > twice
    });
    stream.close(LIMIT).expect("both close");
    let twice = drawn(&stream) - stream.checker.numbers();
    let found = stream.checker.duplicates();
    setting
        .tell(&format!("{} IDs, {found} duplicates found, {twice} of them numbers", stream.ids()));
    assert!(twice >= 90, "{twice} numbers came twice");
    assert!(found > twice, "no snowflake IDs among {found} duplicates");
}

/// Numbers that were drawn, those that came twice counted twice.
fn drawn(stream: &Stream) -> u64 {
    stream.hosts().iter().map(|host| host.segment.ids).sum()
}
