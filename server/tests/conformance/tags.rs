//! A tag that is advanced while it is leased from.

use std::sync::Arc;

use leafid_core::{Code, Range, SegmentAsk, Token};

use crate::races::{World, create, lease, overlap, tag, until_heard};
use crate::troubled::Trouble;

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
