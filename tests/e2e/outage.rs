//! The store stopped for 30 s, twice, under 50 IDs/s: nobody notices while IDs are at hand, and when
//! dry, callers wait and go on as soon as it is back.

use std::cell::Cell;
use std::time::{Duration, Instant};

use leafid_core::Layout;
use leafid_stream::hosts::{Draw, Program};
use leafid_stream::line::{Kind, Line};
use leafid_stream::stream::{Event, Stream};

use crate::setting::{LIMIT, Setting, close, draw, start, until};

/// The outage is what is tested, so it is real time.
const OUTAGE: Duration = Duration::from_secs(30);
const OUTAGES: usize = 2;
/// IDs per second of each host; each draws one kind, so that one dry kind does not hold up the other.
const RATE: u32 = 50;
/// How soon callers go on after the store's return: the longest pause between two asks of a dry
/// holder is 960 ms.
const BACK: Duration = Duration::from_secs(1);
/// What a busy machine may add to it until the ID is read here.
const BUSY: Duration = Duration::from_millis(250);

/// What one host did around an outage.
#[derive(Clone, Copy, Default)]
struct Beat {
    /// IDs drawn after the store had stopped and before its return.
    during: u64,
    last_before_return: Option<Instant>,
    first_after_return: Option<Instant>,
}

#[test]
fn an_outage_is_not_noticed_until_dry_and_over_within_a_second() {
    let Some(setting) = Setting::find("store stopped for 30 s") else { return };
    let mut store = setting.store("store");
    let stage = setting.stage();
    let mut stream = Stream::new(Layout::LEAF);
    for program in [Program::Python, Program::Node] {
        for kind in [Kind::Segment, Kind::Snowflake] {
            let draw = Draw { only: Some(kind), ..draw(&store.url(), RATE) };
            start(&mut stream, &stage, program, &draw);
        }
    }
    let mut told = Vec::new();
    for outage in 1..=OUTAGES {
        // Long enough that steps and windows are those of a stream, not of a start.
        let goal = stream.ids() + 4 * 5 * u64::from(RATE);
        until(&mut stream, "IDs between outages", |stream| stream.ids() >= goal);
        settle(&mut stream);
        let waits: Vec<u64> = (0..4).map(|host| waits_of(&stream, host)).collect();

        let status = store.terminate().expect("the store ends by SIGTERM");
        assert!(status.success(), "{status}");
        let stopped = Instant::now();
        let mut beats = [Beat::default(); 4];
        let during = |event: &Event<'_>, beats: &mut [Beat; 4]| {
            let count = ids_of(event.line);
            if count > 0 && event.at > stopped {
                beats[event.host].during += count;
                beats[event.host].last_before_return = Some(event.at);
            }
        };
        stream.watch(OUTAGE, |event| during(event, &mut beats), |_| false);
        assert_eq!(stream.fault(), None);

        store.start_again().expect("the store comes back");
        let back = Instant::now();
        let after = |event: &Event<'_>, beats: &mut [Beat; 4]| {
            let beat = &mut beats[event.host];
            if ids_of(event.line) > 0 && beat.first_after_return.is_none() {
                beat.first_after_return = Some(event.at);
            }
        };
        let goal: Vec<u64> = stream.hosts().iter().map(|host| host.ids() + 10).collect();
        let all = |stream: &Stream| {
            stream.hosts().iter().zip(&goal).all(|(host, goal)| host.ids() >= *goal)
        };
        stream.watch(LIMIT, |event| after(event, &mut beats), all);
        settle(&mut stream);

        for (host, beat) in beats.iter().enumerate() {
            let name = format!("outage {outage}, host {host} ({})", stream.host(host).name);
            let dry = beat.last_before_return.map_or(stopped, |last| last);
            let first = beat.first_after_return.unwrap_or_else(|| panic!("{name}: no ID after it"));
            // 90 numbers at least are at hand at any time, and two thirds of a 10 s window.
            let at_hand = if host % 2 == 0 { 80 } else { 250 };
            assert!(beat.during >= at_hand, "{name}: {} IDs in the outage", beat.during);
            assert!(back - dry > OUTAGE / 2, "{name}: dry for {:?} only", back - dry);
            // One wait: the dry one. None while IDs were at hand.
            assert_eq!(waits_of(&stream, host) - waits[host], 1, "{name}: waits");
            let late = first.saturating_duration_since(back);
            assert!(late <= BACK + BUSY, "{name}: went on {late:?} after the return");
            told.push(format!("{} IDs, then dry, back after {} ms", beat.during, late.as_millis()));
        }
    }
    close(&mut stream);
    setting.tell(&format!(
        "{OUTAGES} outages of {OUTAGE:?}, {} IDs, {} grants, duplicates {}, no errors; {}",
        stream.ids(),
        stream.grants(),
        stream.checker.duplicates(),
        told.join("; ")
    ));
    assert_eq!((stream.checker.duplicates(), stream.checker.backwards()), (0, 0));
    assert!(stream.grants() >= 20, "{} grants", stream.grants());
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
