//! Tags that are made by their first lease, as a pattern says: over every back end, and by several
//! servers at once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use leafid_core::registry::TagSpec;
use leafid_core::{Code, LINE_END, Name, Range, SegmentAsk, StoreTime, Token};
use leafid_store::clock::ManualClock;
use leafid_store::problem::Problem;
use leafid_store::store::pattern::{Pattern, PatternChange, PatternRow};
use leafid_store::store::{Page, SharedStore, Store, TagChange};

use crate::BACK_ENDS;
use crate::memory::Trouble;
use crate::races::{World, overlap, until_heard};

fn name(text: &str) -> Name {
    Name::tag(text).expect("a name")
}

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text).expect("a pattern")
}

fn from(from: u64, step: u32, most: u32) -> PatternChange {
    let spec = TagSpec { from: Some(from), step: Some(step), ..TagSpec::default() };
    PatternChange { spec, most: Some(most), ..PatternChange::default() }
}

async fn lease(store: &dyn Store, tag: &str, have_until: Option<u64>) -> Result<Range, Problem> {
    let ask = SegmentAsk { have_until, ..SegmentAsk::new(name(tag), Token::new([1; 16])) };
    store.lease_segment(ask).await.map(|grant| grant.range)
}

async fn refused(store: &dyn Store, tag: &str, have_until: Option<u64>) -> (Code, String) {
    let problem = lease(store, tag, have_until).await.expect_err(tag);
    (problem.code, problem.detail)
}

async fn row(store: &dyn Store, of: &str) -> PatternRow {
    let (patterns, _) = store.patterns().await.expect("patterns");
    patterns.get(&pattern(of)).expect(of)
}

/// What a pattern makes, and what it does not.
pub async fn makes_tags(
    back_end: &str,
    open: impl Fn(&Path, Token, Arc<ManualClock>) -> SharedStore,
) {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Arc::new(ManualClock::at(StoreTime::new(1_800_000_000_000)));
    let store = open(folder.path(), Token::new([9; 16]), clock);
    let store = store.as_ref();
    let unknown =
        |said: (Code, String)| assert_eq!(said.0, Code::TagUnknown, "{back_end}: {said:?}");
    unknown(refused(store, "t:1", None).await);

    let put = |of, change| store.put_pattern(pattern(of), change);
    put("t:*", from(1, 10, 3)).await.expect(back_end);
    put(
        "t:eu:*",
        PatternChange {
            spec: TagSpec { until: Some(505), ..from(500, 10, 9).spec },
            ..from(500, 10, 9)
        },
    )
    .await
    .expect(back_end);
    assert_eq!(lease(store, "t:1", None).await, Ok(Range::new(1, 11)), "{back_end}");
    assert_eq!(lease(store, "t:1", Some(11)).await, Ok(Range::new(11, 21)), "{back_end}");
    assert_eq!(lease(store, "t:eu:1", None).await, Ok(Range::new(500, 505)), "the longest wins");
    assert_eq!(refused(store, "t:eu:1", None).await.0, Code::TagSpent, "with its upper end");
    unknown(refused(store, "t:", None).await);
    unknown(refused(store, "u:1", None).await);

    let exactly =
        SegmentAsk { exactly: Some(u32::MAX), ..SegmentAsk::new(name("t:2"), Token::new([1; 16])) };
    assert!(store.lease_segment(exactly).await.is_err(), "{back_end}");
    unknown((
        store.tag(name("t:2")).await.expect_err("a refused lease makes none").code,
        String::new(),
    ));
    assert_eq!(row(store, "t:*").await.made, 1, "{back_end}");
    put("l:*", from(1, 10, 1)).await.expect(back_end);
    // Whoever has numbers of a tag that is not there has them from a store that was lost: the tag is
    // made, and gives nobody its first numbers again.
    assert_eq!(refused(store, "l:1", Some(7)).await.0, Code::StoreWentBack, "{back_end}");
    assert_eq!(refused(store, "l:1", None).await.0, Code::StoreRefused, "{back_end}");
    let lost = store.tag(name("l:1")).await.expect(back_end);
    assert_eq!((lost.max_id, lost.claimed_until), (1, Some(7)), "{back_end}");
    store.advance_tag(name("l:1"), 7).await.expect(back_end);
    assert_eq!(lease(store, "l:1", None).await, Ok(Range::new(7, 17)), "{back_end}");

    // A tag that was deleted stays deleted, and made by hand it goes on above.
    store.delete_tag(name("t:1")).await.expect(back_end);
    unknown(refused(store, "t:1", None).await);
    let made = store.put_tag(name("t:1"), TagChange::default()).await.expect(back_end);
    assert_eq!(made.max_id, 21, "{back_end}");

    // No more than it may, and again when it may more.
    for tag in ["t:2", "t:3"] {
        assert_eq!(lease(store, tag, None).await, Ok(Range::new(1, 11)), "{back_end}");
    }
    let (code, detail) = refused(store, "t:4", None).await;
    assert_eq!(code, Code::QuotaExceeded, "{back_end}");
    assert!(detail.contains("made 3 tags, of 3"), "{detail}");
    assert_eq!(lease(store, "t:3", None).await, Ok(Range::new(11, 21)), "those that are there");
    let more = PatternChange { most: Some(4), ..PatternChange::default() };
    put("t:*", more).await.expect(back_end);
    assert_eq!(lease(store, "t:4", None).await, Ok(Range::new(1, 11)), "{back_end}");

    // It never begins lower, also when it was removed meanwhile, and the tags that it made stay.
    put("t:*", from(1_000, 10, 9)).await.expect(back_end);
    let lower = put("t:*", from(999, 10, 9)).await.expect_err("it went down");
    assert_eq!(lower.code, Code::RangeInvalid, "{back_end}: {lower}");
    store.delete_pattern(pattern("t:*")).await.expect(back_end);
    unknown(refused(store, "t:5", None).await);
    assert_eq!(lease(store, "t:4", None).await, Ok(Range::new(11, 21)), "{back_end}");
    put("t:*", from(999, 10, 9)).await.expect_err("it went down");
    put("t:*", PatternChange::default()).await.expect(back_end);
    assert_eq!(lease(store, "t:5", None).await.map(|range| range.start), Ok(1_000), "{back_end}");
    assert_eq!(row(store, "t:*").await.made, 5, "{back_end}");

    for (of, change, code) in [
        ("t:*", PatternChange { most: Some(0), ..PatternChange::default() }, Code::RequestInvalid),
        ("t:*", PatternChange { only_create: true, ..PatternChange::default() }, Code::TagExists),
        ("new:*", PatternChange { only_change: true, ..from(1, 1, 1) }, Code::TagUnknown),
        ("new:*", from(0, 1, 1), Code::RangeInvalid),
        ("new:*", from(LINE_END + 1, 1, 1), Code::RangeInvalid),
        ("new:*", from(1, 0, 1), Code::StepInvalid),
    ] {
        let problem = put(of, change).await.expect_err("a bad change");
        assert_eq!(problem.code, code, "{back_end}: {of} {change:?}: {problem}");
    }
    let all = store.tags(Page { after: None, limit: 100 }).await.expect(back_end);
    assert_eq!(all.len(), 7, "{back_end}: {all:?}");
}

#[tokio::test]
async fn patterns_make_tags_over_every_back_end() {
    for (back_end, open) in BACK_ENDS {
        makes_tags(back_end, open).await;
    }
}

/// Several servers, of which every client leases from the same new tags at the same time: how many
/// numbers were given twice, how many tags there are, and how many were counted.
async fn at_once(troubles: [Trouble; 3], tags: u32) -> (usize, usize, u32) {
    let world = World::new();
    let servers = troubles.map(|trouble| Arc::new(world.server(trouble)));
    let change = from(1, 10, 1_000);
    until_heard(|| servers[0].put_pattern(pattern("t:*"), change)).await;
    let mut running = Vec::new();
    for server in &servers {
        for _ in 0..4 {
            let server = Arc::clone(server);
            running.push(tokio::spawn(async move {
                let mut ranges = Vec::new();
                for n in 0..tags {
                    let tag = name(&format!("t:{n}"));
                    let ask = SegmentAsk::new(tag, Token::new([7; 16]));
                    let grant = until_heard(|| server.lease_segment(ask)).await;
                    ranges.push((n, grant.range));
                }
                ranges
            }));
        }
    }
    let mut of_tag: BTreeMap<u32, Vec<Range>> = BTreeMap::new();
    for client in running {
        for (n, range) in client.await.expect("a client") {
            of_tag.entry(n).or_default().push(range);
        }
    }
    let twice = of_tag.values().map(|ranges| overlap(ranges)).sum();
    let all = until_heard(|| servers[1].tags(Page { after: None, limit: 1_000 })).await;
    (twice, all.len(), row(servers[2].as_ref(), "t:*").await.made)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_that_make_one_tag_at_once_make_it_once() {
    const TAGS: u32 = 60;
    let beaten = [Trouble::EveryThirdRace, Trouble::EveryThirdRace, Trouble::Never];
    let (twice, tags, counted) = at_once(beaten, TAGS).await;
    assert_eq!((twice, tags, counted), (0, TAGS as usize, TAGS));
    let (twice, _, counted) = at_once([Trouble::Blind; 3], TAGS).await;
    println!("the control, without conditions: {twice} numbers twice, {counted} tags counted");
    assert!(twice > 0, "the control found nothing");
}
