//! What operators do to a tag: advance it, bound it; also while it is leased from.

use std::sync::Arc;

use leafid_core::{Code, LINE_END, Range, SegmentAsk, Token};
use leafid_store::registry::Registry;
use leafid_store::store::TagChange;
use serde_json::{Value, json};

use crate::races::{World, create, lease, overlap, tag, until_heard};
use crate::troubled::Trouble;
use crate::{BACK_ENDS, replay};

const AT: &str = "1800000000000";

fn asks(more: &Value, gives: Value) -> Value {
    let mut ask = json!({ "tag": "orders", "request": "01010101010101010101010101010101" });
    let fields = more.as_object().into_iter().flatten();
    ask.as_object_mut().unwrap().extend(fields.map(|(name, value)| (name.clone(), value.clone())));
    json!({ "at": AT, "do": "lease_segment", "ask": ask, "gives": gives })
}

fn step(verb: &str, more: Value, gives: Value) -> Value {
    let mut step = json!({ "at": AT, "do": verb, "tag": "orders", "gives": gives });
    step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    step
}

fn script(tag: Value, steps: Vec<Value>) -> Value {
    json!({ "store": "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a", "tags": [tag], "steps": steps })
}

async fn conform(script: Value) {
    for (back_end, open) in BACK_ENDS {
        let verdict = replay(&script, open).await;
        verdict.unwrap_or_else(|why| panic!("{back_end}: {why}"));
    }
}

#[tokio::test]
async fn a_tag_is_advanced_and_never_taken_back() {
    let invalid = || json!({ "code": "RANGE_INVALID" });
    let advance = |to: &str, gives| step("advance_tag", json!({ "to": to }), gives);
    let at = |max_id: &str| json!({ "tag": "orders", "max_id": max_id, "step": 10 });
    conform(script(
        json!({ "tag": "orders", "step": 10, "until": "500" }),
        vec![
            asks(&json!({}), json!({ "start": "1", "end": "11" })),
            advance("10", invalid()),
            advance("0", invalid()),
            advance("11", at("11")),
            advance("200", at("200")),
            advance("199", invalid()),
            asks(&json!({ "have_until": "11" }), json!({ "start": "200", "end": "210" })),
            advance("501", invalid()),
            advance("500", json!({ "max_id": "500", "until": "500", "remaining": "0" })),
            asks(&json!({}), json!({ "code": "TAG_SPENT" })),
            step("set_tag", json!({ "until": "9223372036854775807" }), json!({ "until": null })),
            advance("9223372036854775807", json!({ "remaining": "0" })),
            asks(&json!({}), json!({ "code": "TAG_SPENT" })),
            advance("18446744073709551615", invalid()),
            step("delete_tag", json!({}), json!({})),
            advance("9223372036854775807", json!({ "code": "TAG_UNKNOWN" })),
        ],
    ))
    .await;
}

#[tokio::test]
async fn an_upper_end_is_set_moved_and_taken_away() {
    let set = |until: &str, gives| step("set_tag", json!({ "until": until }), gives);
    let invalid = || json!({ "code": "RANGE_INVALID" });
    conform(script(
        json!({ "tag": "orders", "step": 10 }),
        vec![
            asks(&json!({}), json!({ "start": "1", "end": "11" })),
            set("10", invalid()),
            set("9223372036854775808", invalid()),
            set("11", json!({ "max_id": "11", "until": "11", "remaining": "0" })),
            asks(&json!({}), json!({ "code": "TAG_SPENT" })),
            set("14", json!({ "until": "14", "remaining": "3" })),
            // What is not said stays.
            step("set_tag", json!({ "step": 5 }), json!({ "step": 5, "until": "14" })),
            step("set_tag", json!({ "until": null }), json!({ "until": "14" })),
            asks(&json!({ "exactly": 4 }), json!({ "code": "TAG_SPENT" })),
            asks(&json!({}), json!({ "start": "11", "end": "14", "remaining": "0" })),
            set("13", invalid()),
            set("9223372036854775807", json!({ "until": null })),
            asks(&json!({}), json!({ "start": "14", "end": "19" })),
        ],
    ))
    .await;
}

async fn advance(server: &Registry, to: u64) -> u64 {
    until_heard(|| server.advance_tag(tag(), to)).await.max_id
}

/// Each server has leased, so that it knows the row as it was; another one changes it. What is leased
/// then, and where the tag ends.
async fn changed_by_another(
    trouble: Trouble,
    change: impl AsyncFn(&Registry),
) -> (Range, Option<u64>) {
    let world = World::new();
    let [one, two] = [trouble; 2].map(|trouble| world.server(trouble));
    create(&one).await;
    lease(&one, 1).await.unwrap();
    change(&two).await;
    let leased = lease(&one, 2).await.unwrap();
    (leased, two.tag(tag()).await.unwrap().until)
}

#[tokio::test]
async fn what_another_server_advanced_is_not_granted_below() {
    let to_1000 = async |server: &Registry| assert_eq!(advance(server, 1_000).await, 1_000);
    let (leased, _) = changed_by_another(Trouble::Never, to_1000).await;
    assert_eq!(leased, Range::new(1_000, 1_010));
    // The control: where conditions are not looked at, it is.
    assert_eq!(changed_by_another(Trouble::Blind, to_1000).await.0, Range::new(11, 21));
}

/// The statements compare rows, and the upper end is a part of them.
#[tokio::test]
async fn what_another_server_bounded_is_not_granted_beyond_nor_lost() {
    let bound = async |server: &Registry, until| {
        let change = TagChange { until: Some(until), ..TagChange::default() };
        server.put_tag(tag(), change).await.unwrap();
    };
    let until_15 = async |server: &Registry| bound(server, 15).await;
    let none_again = async |server: &Registry| {
        bound(server, 15).await;
        bound(server, LINE_END).await;
    };
    let never = Trouble::Never;
    assert_eq!(changed_by_another(never, until_15).await, (Range::new(11, 15), Some(15)));
    assert_eq!(changed_by_another(never, none_again).await, (Range::new(11, 21), None));
    assert_eq!(changed_by_another(Trouble::Blind, until_15).await.0, Range::new(11, 21));
}

/// Three servers lease and advance at once: nothing is granted twice, and nothing that was asked for
/// after an advance was answered lies below it. How often either happened.
async fn at_once(troubles: [Trouble; 3]) -> (usize, usize) {
    let world = World::new();
    let servers = troubles.map(|trouble| Arc::new(world.server(trouble)));
    create(&servers[0]).await;
    // Each knows the row as it left it, and the first two as it is no more.
    let mut ranges = Vec::new();
    for (n, server) in (50_000..).zip(&servers) {
        ranges.push(until_heard(|| lease(server, n)).await);
    }
    let mut running = Vec::new();
    for (at, server) in (0..).zip(&servers) {
        for client in 0..6 {
            let server = Arc::clone(server);
            running.push(tokio::spawn(async move {
                let (mut ranges, mut below, mut stood) = (Vec::new(), 0, 0);
                for n in 0..20 {
                    if client % 3 == 0 {
                        // Above where it stands by now, most of the time.
                        let to = stood + 40;
                        match server.advance_tag(tag(), to).await {
                            Ok(row) => stood = row.max_id,
                            Err(problem) => assert!(
                                matches!(problem.code, Code::RangeInvalid | Code::StoreUnavailable),
                                "{problem}"
                            ),
                        }
                    }
                    let n = at * 10_000 + client * 100 + n;
                    let range = until_heard(|| lease(&server, n)).await;
                    below += usize::from(range.start < stood);
                    stood = stood.max(range.end);
                    ranges.push(range);
                }
                (ranges, below)
            }));
        }
    }
    let mut below = 0;
    for client in running {
        let (more, wrong) = client.await.unwrap();
        ranges.extend(more);
        below += wrong;
    }
    assert_eq!(ranges.len(), 3 + 3 * 6 * 20);
    (overlap(&ranges), below)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn advances_and_leases_at_once_grant_nothing_twice_nor_below() {
    let (twice, below) =
        at_once([Trouble::EveryThirdRace, Trouble::EveryThirdRace, Trouble::Never]).await;
    assert_eq!((twice, below), (0, 0));
    let (twice, below) = at_once([Trouble::Blind; 3]).await;
    println!("the control, without conditions: {twice} numbers twice, {below} ranges below");
    assert!(twice > 0, "the control found nothing");
}

#[tokio::test]
async fn an_advance_waits_with_leases_for_one_writing() {
    let world = World::new();
    let server = world.server(Trouble::Never);
    create(&server).await;
    let before = world.groups();
    world.counts.hold(true);
    let first = lease(&server, 1);
    let advanced = server.advance_tag(tag(), 1_000);
    let second = lease(&server, 2);
    let exact = server.lease_segment(SegmentAsk {
        exactly: Some(7),
        ..SegmentAsk::new(tag(), Token::new([3; 16]))
    });
    let back = server.advance_tag(tag(), 1_016);
    world.counts.hold(false);
    assert_eq!(first.await, Ok(Range::new(1, 11)));
    assert_eq!(advanced.await.unwrap().max_id, 1_000);
    assert_eq!(second.await, Ok(Range::new(1_000, 1_010)));
    assert_eq!(exact.await.unwrap().range, Range::new(1_010, 1_017));
    let refused = back.await.unwrap_err();
    assert_eq!(refused.code, Code::RangeInvalid);
    assert!(refused.detail.contains("is 1017 and cannot go back to 1016"), "{refused}");
    assert_eq!(world.groups() - before, 1, "one writing");
}

#[tokio::test]
async fn what_is_refused_says_the_figures() {
    let world = World::new();
    let server = world.server(Trouble::Never);
    create(&server).await;
    let bounded = TagChange { until: Some(8), max_step: Some(50), ..TagChange::default() };
    server.put_tag(tag(), bounded).await.unwrap();
    let ask = |exactly| SegmentAsk {
        exactly: Some(exactly),
        ..SegmentAsk::new(tag(), Token::new([1; 16]))
    };
    let lower = TagChange { until: Some(LINE_END + 1), ..TagChange::default() };
    for (refused, words) in [
        (server.advance_tag(tag(), 9).await.map(drop), "ends at 8 and cannot be advanced to 9"),
        (server.put_tag(tag(), lower).await.map(drop), "must be 1 to 9223372036854775807"),
        (server.lease_segment(ask(51)).await.map(drop), "at most 50 numbers, and 51 are wanted"),
        (server.lease_segment(ask(8)).await.map(drop), "7 numbers left, and 8 are wanted"),
    ] {
        let problem = refused.unwrap_err();
        assert!(problem.detail.contains(words), "{problem}");
        assert!(!problem.figures.is_empty(), "{problem}");
    }
    assert_eq!(lease(&server, 1).await, Ok(Range::new(1, 8)), "nothing was leased");
}
