//! The store stopped for 30 s, twice, under 50 IDs/s: nobody notices while IDs are at hand, and when
//! dry, callers wait and go on with the first ask after its return.
//!
//! What is bounded is counted in asks and IDs, not in time: a busy machine stretches time, but a host
//! that asks too seldom, or that does not use what it was given, is seen all the same. What a host did
//! in the moments of the stop and of the return is another matter: where the machine stood still then,
//! the outage shows nothing, and there is one more. A host at fault is so in each.

use std::cell::Cell;
use std::time::{Duration, Instant};

use leafid_core::Layout;
use leafid_stream::hosts::{Draw, Program};
use leafid_stream::line::{Kind, Line};
use leafid_stream::stream::{Event, Stream};

use crate::at_hand::{AtHand, Pace};
use crate::proxy::Proxy;
use crate::setting::{LIMIT, STEP, Setting, close, draw, start, until};

/// The outage is what is tested, so it is real time.
const OUTAGE: Duration = Duration::from_secs(30);
const OUTAGES: usize = 2;
/// How many there are at most until so many show something.
const TRIES: usize = 6;
/// IDs per second of each host; each draws one kind, so that one dry kind does not hold up the other.
const RATE: u32 = 50;
/// IDs that a host draws before it writes them, at most.
const BATCH: u64 = RATE as u64 / 5;
/// How often each host asks in an outage at least: the pauses between two asks of a dry holder grow to
/// 960 ms and no further. An outage lasts until they have, `LIMIT` at most; pauses that grew for ever
/// would come to ten asks in that time.
const ASKS: usize = 20;
/// Asks of a host from the store's return to its first ID: one that was under way, the one that was
/// answered, and the next ask ahead.
const ASKS_AFTER: usize = 3;

/// What one host did around an outage.
#[derive(Clone, Copy, Default)]
struct Beat {
    /// IDs drawn after the store had stopped and before its return.
    during: u64,
    /// How regularly, by their own stamps.
    pace: Pace,
    last_before_return: Option<Instant>,
    /// When it went on, and how often it had asked by then since the return.
    first_after_return: Option<(Instant, usize)>,
}

#[test]
fn an_outage_is_not_noticed_until_dry_and_over_with_the_next_ask() {
    let Some(setting) = Setting::find("store stopped for 30 s") else { return };
    let mut store = setting.store("store");
    let stage = setting.stage();
    let mut stream = Stream::new(Layout::LEAF);
    let mut proxies = Vec::new();
    for program in [Program::Python, Program::Node] {
        for kind in [Kind::Segment, Kind::Snowflake] {
            // An address for each, where its asks are counted.
            let proxy = Proxy::start(&[store.address()]);
            let draw = Draw { only: Some(kind), ..draw(&proxy.url(), RATE) };
            start(&mut stream, &stage, program, &draw);
            proxies.push(proxy);
        }
    }
    let asked = || proxies.iter().map(Proxy::requests).collect::<Vec<_>>();
    let (mut told, mut unseen) = (Vec::new(), Vec::new());
    for outage in 1..=TRIES {
        if outage > OUTAGES + unseen.len() {
            break;
        }
        // Long enough that steps and windows are those of a stream, not of a start.
        let goal: Vec<u64> = ids(&stream).iter().map(|ids| ids + 5 * u64::from(RATE)).collect();
        until(&mut stream, "IDs between outages", |stream| reached(stream, &goal));
        settle(&mut stream);
        let at_hand = AtHand::of_all(&stream, &store);
        let waits: Vec<u64> = (0..4).map(|host| waits_of(&stream, host)).collect();

        let status = store.terminate().expect("the store ends by SIGTERM");
        assert!(status.success(), "{status}");
        let (stopped, before) = (Instant::now(), asked());
        let mut beats = [Beat::default(); 4];
        let during = |event: &Event<'_>, beats: &mut [Beat; 4]| {
            let count = ids_of(event.line);
            if count > 0 && event.at > stopped {
                beats[event.host].during += count;
                beats[event.host].pace.note(event.line);
                beats[event.host].last_before_return = Some(event.at);
            }
        };
        let asks = || asked().iter().zip(&before).map(|(now, then)| now - then).collect::<Vec<_>>();
        let over = |_: &Stream| stopped.elapsed() >= OUTAGE && asks().iter().all(|n| *n >= ASKS);
        let over = stream.watch(OUTAGE + LIMIT, |event| during(event, &mut beats), over);
        assert!(over, "asks in the outage: {:?}", asks());
        let (asks, away) = (asks(), stopped.elapsed());
        assert_eq!(stream.fault(), None);
        let hosts = stream.hosts().iter().zip(at_hand).zip(&beats);
        let spent: Vec<Result<(), String>> = hosts
            .map(|((host, at_hand), beat)| at_hand.was_spent(host, &beat.pace, BATCH))
            .collect();

        store.start_again().expect("the store comes back");
        let (back, before) = (Instant::now(), asked());
        let after = |event: &Event<'_>, beats: &mut [Beat; 4]| {
            let beat = &mut beats[event.host];
            if ids_of(event.line) > 0 && beat.first_after_return.is_none() {
                let asks = proxies[event.host].requests() - before[event.host];
                beat.first_after_return = Some((event.at, asks));
            }
        };
        let goal: Vec<u64> = ids(&stream).iter().map(|ids| ids + 10).collect();
        stream.watch(LIMIT, |event| after(event, &mut beats), |stream| reached(stream, &goal));
        settle(&mut stream);

        let seen = told.len();
        for ((host, beat), spent) in beats.iter().enumerate().zip(spent) {
            let name = format!("outage {outage}, host {host} ({})", stream.host(host).name);
            let dry = beat.last_before_return.map_or(stopped, |last| last);
            let first = beat.first_after_return;
            let (first, asks_after) = first.unwrap_or_else(|| panic!("{name}: no ID after it"));
            let dry = back.saturating_duration_since(dry);
            let odd = [
                spent.err(),
                (beat.during == 0).then(|| "no ID in the outage".to_owned()),
                (dry <= OUTAGE / 2).then(|| format!("dry for {dry:?} only")),
                (waits_of(&stream, host) <= waits[host]).then(|| "it never waited".to_owned()),
                (asks_after > ASKS_AFTER).then(|| format!("{asks_after} asks until it went on")),
            ];
            if let Some(odd) = odd.into_iter().flatten().next() {
                told.truncate(seen);
                unseen.push(format!("{name}: {odd}"));
                break;
            }
            let late = first.saturating_duration_since(back).as_millis();
            told.push(format!(
                "{} IDs in {} s, then dry, {} asks, back after {late} ms and {asks_after} asks",
                beat.during,
                away.as_secs(),
                asks[host],
            ));
        }
    }
    close(&mut stream);
    assert_eq!(
        told.len(),
        OUTAGES * proxies.len(),
        "too few outages show what they should: {unseen:?}"
    );
    setting.tell(&format!(
        "{OUTAGES} outages and {} that show nothing, {} IDs, {} grants, duplicates {}, no errors; {}",
        unseen.len(),
        stream.ids(),
        stream.grants(),
        stream.checker.duplicates(),
        told.join("; ")
    ));
    assert_eq!((stream.checker.duplicates(), stream.checker.backwards()), (0, 0));
    // A grant is of `STEP` numbers at most; and every window was lost and acquired again.
    let least = stream.checker.numbers() / STEP + 2 * (OUTAGES as u64 + 1);
    assert!(stream.grants() >= least, "{} grants, fewer than {least}", stream.grants());
}

fn ids(stream: &Stream) -> Vec<u64> {
    stream.hosts().iter().map(|host| host.ids()).collect()
}

fn reached(stream: &Stream, goal: &[u64]) -> bool {
    ids(stream).iter().zip(goal).all(|(ids, goal)| ids >= goal)
}

/// Waits for a report of every host that is read after now: it is behind the lines before it.
fn settle(stream: &mut Stream) {
    let reported = vec![Cell::new(false); stream.hosts().len()];
    let all = stream.watch(
        LIMIT,
        |event| {
            if matches!(event.line, Line::Stats(..)) {
                reported[event.host].set(true);
            }
        },
        |_| reported.iter().all(Cell::get),
    );
    assert!(all, "no reports from the hosts: {reported:?}");
}

fn waits_of(stream: &Stream, host: usize) -> u64 {
    let host = stream.host(host);
    host.segment.stats.waits + host.snowflake.stats.waits
}

fn ids_of(line: &Line) -> u64 {
    match line {
        Line::Numbers { start, end } => end - start,
        Line::Snowflakes { count, .. } => *count,
        _ => 0,
    }
}
