//! Races on a namespace: its rows may change between a decision and its write; and a number that
//! left the range and came back is nobody's, though its row was not written.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use leafid_core::registry::{Namespace, WorkerRow};
use leafid_core::{
    AcquireAsk, Code, Layout, Name, Range, RenewAsk, SegmentAsk, Token, WindowGrant,
};
use leafid_servers::for_test;
use leafid_store::backends::{
    Answer, BackEnd, NamespaceRow, Outcome, Seen, Want, WorkerWrite, Write,
};
use leafid_store::clock::{Clock, SystemClock};
use leafid_store::problem::Problem;
use leafid_store::store::{Page, TagChange};

use crate::asks::{acquire, namespace, request, workers};
use crate::opens::{Opens, answered, served};
use crate::support::LIMIT;

async fn row(from: &mut impl BackEnd) -> Result<Seen<NamespaceRow>, Problem> {
    let read = from.read(&[Want::Namespace(namespace())]).await?;
    match read.as_slice() {
        [Answer::Namespace(Some(seen))] => Ok(*seen),
        other => panic!("{other:?}"),
    }
}

async fn worker(from: &mut impl BackEnd, number: u32) -> Result<Option<Seen<WorkerRow>>, Problem> {
    let read = from.read(&[Want::Worker(namespace(), number)]).await?;
    match read.as_slice() {
        [Answer::Workers(rows)] => Ok(rows.first().map(|(_, seen)| *seen)),
        other => panic!("{other:?}"),
    }
}

/// Writes a number's row, reserved up to a tick, as a grant or a renewal does.
async fn grant(server: &mut impl BackEnd, number: u32, until: u64) -> Result<Outcome, Problem> {
    server.begin().await?;
    let (space, before) = (row(server).await?, worker(server, number).await?);
    let row = before.map_or(WorkerRow::default(), |seen| seen.row);
    let key = row.key.or(Some(Token::new([9; 16])));
    let after = WorkerRow { key, reserved_until: until, granted: SystemClock.wall(), ..row };
    let write = WorkerWrite { namespace: namespace(), worker: number, before, after };
    let group = vec![Write::Same(namespace(), space), Write::Worker(Box::new(write))];
    Ok(server.write(&[group]).await?.remove(0))
}

/// Changes the namespace after others wrote between its reading and its writing; gives the outcome.
async fn change_after<S: Opens>(
    url: &str,
    change: impl Fn(Namespace) -> Namespace,
    meanwhile: impl AsyncFn(&mut S::BackEnd) -> Result<(), Problem>,
) -> Result<Outcome, Problem> {
    let (mut one, mut two) = (S::opened(url), S::opened(url));
    two.begin().await?;
    one.begin().await?;
    let before = row(&mut one).await?;
    let after = NamespaceRow { namespace: change(before.row.namespace), ..before.row };
    let (from, to) = (before.row.namespace.workers, after.namespace.workers);
    let any = Want::Workers(namespace(), Page { after: None, limit: 1 });
    let leaving = Want::Leaving { namespace: namespace(), before: from, after: to };
    one.read(&[any, leaving]).await?;
    meanwhile(&mut two).await?;
    let write = Write::Namespace { namespace: namespace(), before: Some(before), after };
    Ok(one.write(&[vec![write]]).await?.remove(0))
}

fn fewer(of: Namespace) -> Namespace {
    Namespace { workers: Range::new(0, of.workers.end - 300), ..of }
}

fn more(of: Namespace) -> Namespace {
    Namespace { workers: Range::new(0, 1_024), ..of }
}

/// How often a test starts over with a new database where this machine is too slow for its answers.
pub const TRIES: usize = 5;

async fn changes_are_decided_on_what_is_there<S: Opens>(server: S) {
    let mut last = None;
    let more = std::iter::repeat_with(|| for_test::<S>().expect("it was there"));
    for server in std::iter::once(server).chain(more).take(TRIES) {
        match changes_over::<S>(&server.url()).await {
            Ok(()) => return,
            Err(fault) => last = Some(fault),
        }
    }
    panic!("no answer in time, {TRIES} times in a row: {last:?}");
}

async fn changes_over<S: Opens>(url: &str) -> Result<(), Problem> {
    let done = |outcome: &Outcome| matches!(outcome, Outcome::Done(_));
    let other =
        |of: Namespace| Namespace { layout: Layout::EDGE, workers: Range::new(0, 64), ..of };
    // The first window, granted while the layout changes.
    let granted = async |two: &mut S::BackEnd, number, until| {
        grant(two, number, until).await.map(|outcome| assert!(done(&outcome), "{outcome:?}"))
    };
    let first = async |two: &mut S::BackEnd| granted(two, 3, 100).await;
    let outcome = change_after::<S>(url, other, first).await?;
    assert_eq!(outcome, Outcome::Conflict, "the first window of a bucket");
    // A number that leaves the range is granted for the first time, or renewed, meanwhile.
    for (number, until) in [(1_000, 100), (1_000, 200), (730, 100)] {
        let meanwhile = async |two: &mut S::BackEnd| granted(two, number, until).await;
        let outcome = change_after::<S>(url, fewer, meanwhile).await?;
        assert_eq!(outcome, Outcome::Conflict, "{number} until {until}");
    }
    // The control: nothing happens meanwhile.
    let nothing = async |_: &mut S::BackEnd| Ok(());
    for change in [fewer, more] {
        let outcome = change_after::<S>(url, change, nothing).await?;
        assert!(done(&outcome), "{outcome:?}");
    }
    Ok(())
}

each!(keyed async changes_are_decided_on_what_is_there);

/// A holder renews with a server that has cached its row, after another server moved its number out of
/// the range and back.
async fn a_number_that_came_back_is_nobodys<S: Opens>(server: S) {
    let [one, two] = [(); 2].map(|()| S::registry(&server.url()));
    let acquire = async |n: u32| {
        let ask = AcquireAsk { length_ms: Some(1_000), ..acquire(n) };
        served(async || one.acquire(ask).await).await
    };
    let renew = async |grant: &WindowGrant, n: u32| {
        let ask = RenewAsk::new(namespace(), request(n), grant);
        answered(async || one.renew(ask).await).await
    };
    let [first, second, third] = [acquire(1).await, acquire(2).await, acquire(3).await];
    assert_eq!((first.worker, second.worker, third.worker), (0, 1, 2));
    // Waits until the numbers are free, as their windows are over.
    let over = async || {
        loop {
            match answered(async || two.put_namespace(namespace(), workers(2, 9)).await).await {
                Ok(_) => return,
                Err(problem) => assert_eq!(problem.code, Code::WorkersExhausted, "{problem}"),
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LIMIT, over()).await.expect("they end");
    served(async || two.put_namespace(namespace(), workers(0, 9)).await).await;
    // The namespace is read again for this renewal; the row of the next one is still cached.
    assert_eq!(renew(&third, 4).await.expect("it never left").worker, 2);
    for (grant, request) in [(&first, 5), (&second, 6)] {
        let refused = renew(grant, request).await.map(|grant| grant.ticks).map_err(|p| p.code);
        assert_eq!(refused, Err(Code::LeaseLost), "worker {}", grant.worker);
    }
}

each!(keyed async a_number_that_came_back_is_nobodys);

/// Many holders and many tags start at once: more than an engine writes together.
async fn many_at_once_are_all_served<S: Opens>(server: S) {
    let server = &S::registry(&server.url());
    let acquires = (0..300).map(async |number| {
        let ask = AcquireAsk { sticky: number % 3 == 0, ..acquire(number) };
        served(async || server.acquire(ask).await).await.worker
    });
    let numbers = join_all(acquires).await.into_iter();
    assert_eq!(numbers.collect::<BTreeSet<_>>().len(), 300);
    let tags = (0..200).map(|number| Name::tag(&format!("tag{number}")).expect("a tag"));
    let tags: Vec<Name> = tags.collect();
    let change = TagChange { step: Some(10), ..TagChange::default() };
    join_all(tags.iter().map(|tag| served(async || server.put_tag(*tag, change).await))).await;
    let asked = (0..600).map(|n| (n as usize % tags.len(), request(n)));
    let leases = asked.map(async |(at, request)| {
        let ask = SegmentAsk::new(tags[at], request);
        (at, served(async || server.lease_segment(ask).await).await.range.start)
    });
    let leased = join_all(leases).await;
    assert_eq!(leased.iter().collect::<BTreeSet<_>>().len(), 600, "none of them twice");
    assert!(leased.iter().all(|(_, start)| start % 10 == 1), "{leased:?}");
}

each!(keyed async many_at_once_are_all_served);
