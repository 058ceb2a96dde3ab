//! The registry over a back end that other servers share, that loses races, or that fails without
//! telling whether it wrote.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use leafid_core::{
    AcquireAsk, Code, Range, Release, RenewAsk, SegmentAsk, StoreTime, Token, WindowGrant,
};
use leafid_store::backends::opening::Options;
use leafid_store::backends::sqlite::Sqlite;
use leafid_store::clock::ManualClock;
use leafid_store::problem::Problem;
use leafid_store::registry::{Answer, Registry};
use leafid_store::store::TagChange;

use crate::asks::{self, namespace, request, tag, workers};
use crate::troubled::{Counts, Trouble, Troubled};

const NOW: StoreTime = StoreTime::new(1_800_000_000_000);
const STORE: Token = Token::new([9; 16]);

pub struct World {
    pub clock: Arc<ManualClock>,
    pub folder: tempfile::TempDir,
    pub counts: Arc<Counts>,
}

impl World {
    pub fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        World { clock: Arc::new(ManualClock::at(NOW)), folder, counts: Arc::default() }
    }

    fn server(&self, trouble: Trouble) -> Registry {
        self.server_at(self.folder.path(), STORE, trouble)
    }

    pub fn server_at(&self, folder: &Path, id: Token, trouble: Trouble) -> Registry {
        let options = Options { create: true, id: Some(id), ..Options::default() };
        let file = Sqlite::open(&folder.join("store.db"), self.clock.clone(), &options).unwrap();
        let file = Troubled::over(file, trouble, &self.counts);
        Registry::over(None, file, false).unwrap()
    }

    fn groups(&self) -> usize {
        self.counts.groups.load(Ordering::SeqCst)
    }
}

async fn create(server: &Registry) {
    let change = TagChange { step: Some(10), ..TagChange::default() };
    while let Err(problem) = server.put_tag(tag(), change).await {
        assert_eq!(problem.code, Code::StoreUnavailable, "{problem}");
    }
}

fn lease(server: &Registry, n: u32) -> impl Answer<Range> {
    leased(server, n, None)
}

fn leased(server: &Registry, n: u32, have_until: Option<u64>) -> impl Answer<Range> {
    let answer = server.lease_segment(SegmentAsk { have_until, ..asks::lease(n) });
    async move {
        let grant = answer.await?;
        assert_eq!(grant.request, request(n));
        Ok(grant.range)
    }
}

fn acquire(server: &Registry, n: u32, sticky: bool) -> impl Answer<WindowGrant> {
    server.acquire(AcquireAsk { sticky, ..asks::acquire(n) })
}

fn renew(server: &Registry, grant: &WindowGrant, n: u32) -> impl Answer<WindowGrant> {
    server.renew(RenewAsk::new(namespace(), request(n), grant))
}

/// Releases a grant's number through this server, and acquires it for another holder.
async fn take_over(server: &Registry, grant: &WindowGrant) {
    server.release(Release::new(namespace(), grant)).await.unwrap();
    let other = acquire(server, 500, false).await.unwrap();
    assert_eq!(other.worker, grant.worker);
}

fn overlap(ranges: &[Range]) -> usize {
    let ids = ranges.iter().flat_map(|range| range.start..range.end);
    let different: BTreeSet<u64> = ids.clone().collect();
    ids.count() - different.len()
}

#[tokio::test]
async fn what_waits_for_a_line_is_written_once() {
    let world = World::new();
    let server = world.server(Trouble::Never);
    create(&server).await;
    let before = world.groups();
    world.counts.hold(true);
    let leases: Vec<_> = (0..100).map(|n| lease(&server, n)).collect();
    // Half of them ask twice with one request id; some are sticky.
    let windows: Vec<_> = (0..50).map(|n| acquire(&server, n, n % 3 == 0)).collect();
    let again: Vec<_> = (0..25).map(|n| acquire(&server, n, n % 3 == 0)).collect();
    world.counts.hold(false);
    let mut ranges = Vec::new();
    for lease in leases {
        ranges.push(lease.await.unwrap());
    }
    let mut granted = Vec::new();
    for window in windows {
        granted.push(window.await.unwrap());
    }
    assert_eq!(world.groups() - before, 2, "one of a tag, and one of a namespace");
    for (first, again) in granted.iter().zip(again) {
        let again = again.await.unwrap();
        assert_eq!((first.worker, first.ticks), (again.worker, again.ticks));
    }
    let numbers: BTreeSet<u32> = granted.iter().map(|grant| grant.worker).collect();
    assert_eq!((overlap(&ranges), ranges.len(), numbers.len()), (0, 100, 50));
    // The control: requests that do not wait together are not joined.
    let before = world.groups();
    for n in 100..110 {
        lease(&server, n).await.unwrap();
    }
    assert_eq!(world.groups() - before, 10);
}

#[tokio::test]
async fn a_row_that_was_written_last_is_not_read_again() {
    let world = World::new();
    let server = world.server(Trouble::Never);
    create(&server).await;
    let grant = acquire(&server, 1, false).await.unwrap();
    let before = world.counts.readings.load(Ordering::SeqCst);
    for n in 0..10 {
        lease(&server, n).await.unwrap();
        world.clock.set(NOW.plus(i64::from(n) * 1_000));
        renew(&server, &grant, 100 + n).await.unwrap();
    }
    assert_eq!(world.counts.readings.load(Ordering::SeqCst), before);
}

/// Two servers lease in turns, so that the row is never as either wrote it last.
async fn in_turns(first: Trouble) -> (usize, usize) {
    let world = World::new();
    let servers = [world.server(first), world.server(first)];
    create(&servers[0]).await;
    let mut ranges = Vec::new();
    for n in 0..60 {
        ranges.push(lease(&servers[n as usize % 2], n).await.unwrap());
    }
    (overlap(&ranges), world.counts.conflicts.load(Ordering::SeqCst))
}

#[tokio::test]
async fn servers_over_one_database_grant_nothing_twice() {
    for trouble in [Trouble::Never, Trouble::EveryThirdRace] {
        let (twice, conflicts) = in_turns(trouble).await;
        println!("{trouble:?}: {conflicts} conflicts, {twice} numbers granted twice");
        assert_eq!(twice, 0, "{trouble:?}");
        assert!(conflicts >= 50, "{trouble:?}: only {conflicts} conflicts");
    }
    let (twice, _) = in_turns(Trouble::Blind).await;
    println!("the control, without conditions: {twice} numbers granted twice");
    assert!(twice > 0, "the control found nothing");
}

async fn until_heard<T, A: Answer<T>>(ask: impl Fn() -> A) -> T {
    loop {
        match ask().await {
            Ok(granted) => return granted,
            Err(problem) => assert_eq!(problem.code, Code::StoreUnavailable, "{problem}"),
        }
    }
}

#[tokio::test]
async fn nothing_is_refused_on_what_another_server_has_changed() {
    let world = World::new();
    let [one, two] = [Trouble::Never; 2].map(|trouble| world.server(trouble));
    create(&one).await;
    lease(&one, 1).await.unwrap();
    let further = lease(&two, 2).await.unwrap();
    // The first server's cached row is behind what this caller has.
    let next = leased(&one, 3, Some(further.end)).await.unwrap();
    assert_eq!(next.start, further.end);
    let refused = leased(&one, 4, Some(next.end + 1)).await.unwrap_err();
    assert_eq!(refused.code, Code::StoreWentBack);
}

/// A holder renews with the server that granted its window after a second server gave its number to
/// another. Also where nothing is to be written, as its window has the greatest length.
#[tokio::test]
async fn nothing_is_granted_on_what_another_server_has_changed() {
    for renewed in [false, true] {
        for trouble in [Trouble::Never, Trouble::Blind] {
            let world = World::new();
            let [one, two] = [trouble; 2].map(|trouble| world.server(trouble));
            one.put_namespace(namespace(), workers(0, 1)).await.unwrap();
            let grant = acquire(&one, 1, false).await.unwrap();
            if renewed {
                renew(&one, &grant, 2).await.unwrap();
            }
            take_over(&two, &grant).await;
            let answer = renew(&one, &grant, 3).await.map_err(|problem: Problem| problem.code);
            match (trouble, renewed) {
                (Trouble::Blind, false) => assert!(answer.is_ok(), "the control: {answer:?}"),
                (Trouble::Blind, true) => {}
                _ => assert_eq!(answer.unwrap_err(), Code::LeaseLost, "renewed: {renewed}"),
            }
        }
    }
}

#[tokio::test]
async fn a_race_that_is_always_lost_ends() {
    let world = World::new();
    let (server, beaten) = (world.server(Trouble::Never), world.server(Trouble::EveryRace));
    create(&server).await;
    let before = world.groups();
    let refused = lease(&beaten, 1).await.unwrap_err();
    assert_eq!(refused.code, Code::StoreUnavailable, "{refused}");
    assert!(refused.retry_after_ms.is_some() && refused.detail.contains("first"), "{refused}");
    let tries = world.groups() - before;
    assert!((2..=20).contains(&tries), "{tries} tries");
    assert_eq!(lease(&server, 2).await.unwrap().start, 1, "nothing was granted");
}

/// A connection breaks after the row was written: the caller is told that there is no answer, and
/// the granted range is a gap, or is found under the same request id.
#[tokio::test]
async fn what_may_have_been_written_is_not_granted_to_anybody_else() {
    let world = World::new();
    let server = world.server(Trouble::EveryThirdAnswer);
    create(&server).await;
    let (mut ranges, mut unheard) = (Vec::new(), 0);
    for n in 0..30 {
        match lease(&server, n).await {
            Ok(range) => ranges.push(range),
            Err(problem) => {
                assert_eq!(problem.code, Code::StoreUnavailable, "{problem}");
                unheard += 1;
            }
        }
    }
    assert_eq!((overlap(&ranges), ranges.len(), unheard), (0, 20, 10));
    let end = ranges.last().unwrap().end;
    assert!(end > 29 * 10, "what nobody heard of was granted again: it ends at {end}");

    let mut numbers = BTreeSet::new();
    for n in 0..30 {
        numbers.insert(until_heard(|| acquire(&server, n, false)).await.worker);
    }
    let page = leafid_store::store::Page { after: None, limit: 100 };
    let rows = server.workers(namespace(), page).await.unwrap();
    assert_eq!((numbers.len(), rows.len()), (30, 30), "asked again, nobody has two numbers");
}

/// Three servers lease, advance and acquire at once. Counts numbers granted twice, and ranges that were
/// requested after an advance was answered but lie below it. Without the control each window is renewed by
/// every server, whichever granted it.
async fn at_once(troubles: [Trouble; 3]) -> (usize, usize) {
    let world = World::new();
    let servers = troubles.map(|trouble| Arc::new(world.server(trouble)));
    create(&servers[0]).await;
    // Each server has cached the row as it wrote it; the first two rows are outdated.
    let mut ranges = Vec::new();
    for (n, server) in (50_000..).zip(&servers) {
        ranges.push(until_heard(|| lease(server, n)).await);
    }
    let mut running = Vec::new();
    for (at, server) in (0..).zip(&servers) {
        for client in 0..6 {
            let server = Arc::clone(server);
            running.push(tokio::spawn(async move {
                let (mut ranges, mut windows, mut below, mut stood) =
                    (Vec::new(), Vec::new(), 0, 0);
                for n in 0..20 {
                    if client % 3 == 0 {
                        // Most of the time above the present position.
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
                    windows.push(until_heard(|| acquire(&server, n, n % 2 == 0)).await);
                }
                (ranges, windows, below)
            }));
        }
    }
    let (mut windows, mut below) = (Vec::new(), 0);
    for client in running {
        let (more, granted, wrong) = client.await.unwrap();
        ranges.extend(more);
        windows.extend(granted);
        below += wrong;
    }
    assert_eq!((ranges.len(), windows.len()), (3 + 3 * 6 * 20, 3 * 6 * 20));
    if !troubles.contains(&Trouble::Blind) {
        let different: BTreeSet<u32> = windows.iter().map(|grant| grant.worker).collect();
        assert_eq!(different.len(), windows.len());
        for (n, grant) in (60_000..).zip(&windows[..60]) {
            for server in &servers {
                let renewed = until_heard(|| renew(server, grant, n)).await;
                assert_eq!(renewed.ticks.start, grant.ticks.end);
            }
        }
    }
    (overlap(&ranges), below)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_at_once_grant_nothing_twice_nor_below() {
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
    let exact = server.lease_segment(SegmentAsk { exactly: Some(7), ..asks::lease(3) });
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
