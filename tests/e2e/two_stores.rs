//! Two stores with empty databases behind one address: the second answer stops the client.

use leafid_core::Layout;
use leafid_stream::hosts::{Draw, Program};
use leafid_stream::line::{Kind, Line};
use leafid_stream::stream::Stream;

use crate::proxy::Alternating;
use crate::setting::{LIMIT, STEP, Setting, draw, start, until};

/// IDs per second of each host.
const RATE: u32 = 100;

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
            let proxy = Alternating::start(&addresses);
            let draw = Draw { only: Some(kind), ..draw(&proxy.url(), RATE) };
            start(&mut stream, &stage, program, &draw);
            proxies.push(proxy);
        }
    }
    let hosts = proxies.len();
    let mut after_the_stop = vec![0; hosts];
    let mut refused = vec![0; hosts];
    let stopped = |stream: &Stream| {
        let refusals =
            |host: &leafid_stream::stream::Host| host.segment.refusals + host.snowflake.refusals;
        stream.hosts().iter().all(|host| refusals(host) >= 20 || host.unasked_end())
    };
    let all_stopped = stream.watch(
        LIMIT,
        |event| match event.line {
            Line::Error(..) => refused[event.host] += 1,
            Line::Numbers { .. } | Line::Snowflakes { .. } if refused[event.host] > 0 => {
                after_the_stop[event.host] += 1;
            }
            _ => {}
        },
        stopped,
    );
    assert_eq!(stream.fault(), None);
    assert!(all_stopped, "refused so far: {refused:?}");
    let requests: Vec<_> = proxies.iter().map(Alternating::requests).collect();
    let ids: Vec<_> = stream.hosts().iter().map(|host| host.ids()).collect();
    stream.close(LIMIT).expect("a stopped generator can be closed");
    for host in stream.hosts() {
        for refused in host.segment.refused.iter().chain(&host.snowflake.refused) {
            assert_eq!(refused.code, "STORE_CHANGED", "{}: {}", host.name, refused.message);
        }
        assert!(host.ids() > 0, "{} never began", host.name);
        // Stopped with numbers in hand: the other store may have granted them too.
        assert!(host.segment.ids < STEP, "{} drew {} numbers", host.name, host.segment.ids);
    }
    assert_eq!(after_the_stop, vec![0; hosts], "IDs after the stop");
    assert_eq!(requests, vec![2; hosts], "each client asked twice");
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
        let enough = |host: &leafid_stream::stream::Host| {
            host.segment.ids >= 100 && host.snowflake.ids >= 100
        };
        stream.hosts().iter().all(enough)
    });
    stream.close(LIMIT).expect("both close");
    let numbers = stream.hosts().iter().map(|host| host.segment.ids).sum::<u64>();
    let twice = numbers - stream.checker.numbers();
    let found = stream.checker.duplicates();
    setting
        .tell(&format!("{} IDs, {found} duplicates found, {twice} of them numbers", stream.ids()));
    assert!(twice >= 90, "{twice} numbers came twice");
    assert!(found > twice, "no snowflake IDs among {found} duplicates");
}
