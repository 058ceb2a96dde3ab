//! A Leaf and a server share one table: no number is granted twice, and all lie above the old ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use leafid_servers::{Mariadb, for_test};
use leafid_store::registry::Registry;
use tokio::sync::watch;

use super::running::{Leaf, database};
use crate::asks;
use crate::opens::Opens;
use crate::ranges::overlaps;
use crate::troubled::{Trouble, Troubled};

type Ranges = Vec<(u64, u64)>;

/// How many programs lease through the servers (`ROUNDS` times each), and how many Leafs take segments.
const HOLDERS: usize = 4;
const ROUNDS: usize = 60;
const LEAFS: usize = 3;
/// The row's position at the start.
const OLD: u64 = 1_000_001;

/// The progress of both sides.
#[derive(Default)]
struct Pace {
    granted: usize,
    segments: usize,
    done: bool,
}

/// The ranges that holders got through these servers, and Leafs beside them. Each side waits for the
/// other: a Leaf that never rests would win every race against a server.
fn at_work(url: &str, servers: [Registry; 2]) -> (Ranges, Ranges) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let servers = Arc::new(servers);
    runtime.block_on(async {
        let asked = Arc::new(AtomicU32::new(0));
        let pace = Arc::new(watch::channel(Pace::default()).0);
        let leafs: Vec<_> = (0..LEAFS)
            .map(|leaf| {
                let (url, pace) = (url.to_owned(), Arc::clone(&pace));
                tokio::spawn(async move {
                    let mut connection = Leaf::connect(&url).await;
                    let mut taken = Vec::new();
                    let mut look = pace.subscribe();
                    loop {
                        let near = |pace: &Pace| pace.done || pace.segments < pace.granted + LEAFS;
                        if look.wait_for(near).await.expect("a pace").done {
                            break taken;
                        }
                        // Leaf doubles its step where a segment was used up quickly.
                        let step = (taken.len() % 2 == leaf % 2).then_some(4_000);
                        taken.push(connection.segment("orders", step).await);
                        pace.send_modify(|pace| pace.segments += 1);
                    }
                })
            })
            .collect();
        let holders: Vec<_> = (0..HOLDERS)
            .map(|holder| {
                let (servers, asked) = (Arc::clone(&servers), Arc::clone(&asked));
                let pace = Arc::clone(&pace);
                tokio::spawn(async move {
                    let mut taken = Vec::new();
                    let mut look = pace.subscribe();
                    for round in 0..ROUNDS {
                        let near = |pace: &Pace| pace.segments >= pace.granted / 4;
                        drop(look.wait_for(near).await.expect("a pace"));
                        let server = &servers[(holder + round) % 2];
                        taken.push(lease(server, asked.fetch_add(1, Ordering::SeqCst)).await);
                        pace.send_modify(|pace| pace.granted += 1);
                    }
                    taken
                })
            })
            .collect();
        let mut of_holders = Vec::new();
        for holder in holders {
            of_holders.extend(holder.await.expect("a holder"));
        }
        pace.send_modify(|pace| pace.done = true);
        let mut of_leafs = Vec::new();
        for leaf in leafs {
            of_leafs.extend(leaf.await.expect("a Leaf"));
        }
        (of_holders, of_leafs)
    })
}

/// Leases, repeating the request as every holder does: a Leaf may write between a server's reading and
/// writing.
async fn lease(server: &Registry, n: u32) -> (u64, u64) {
    loop {
        match server.lease_segment(asks::lease(n)).await {
            Ok(grant) => return (grant.range.start, grant.range.end),
            Err(problem) => assert!(!problem.code.is_permanent(), "{problem}"),
        }
    }
}

#[test]
fn a_running_leaf_and_two_servers_give_no_number_twice() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let rows = format!("('orders', {OLD}, 2000, 'made by Leaf')");
    let url = database(&server, "beside", &rows);
    let (holders, leafs) = at_work(&url, [(); 2].map(|()| Mariadb::registry(&url)));
    let all: Ranges = holders.iter().chain(&leafs).copied().collect();
    println!("{} leases, {} of Leaf's segments", holders.len(), leafs.len());
    assert_eq!(holders.len(), HOLDERS * ROUNDS);
    assert!(leafs.len() >= HOLDERS * ROUNDS / 4);
    assert!(all.iter().all(|(from, until)| *from >= OLD && from < until), "above the old ones");
    assert_eq!(overlaps(all), 0);

    // The control: the same, with writes that have no condition.
    let url = database(&server, "careless", &rows);
    let (holders, leafs) = at_work(
        &url,
        [(); 2].map(|()| {
            let careless = Troubled::over(Mariadb::opened(&url), Trouble::Blind, &Arc::default());
            Registry::over(None, careless, false).expect("a registry")
        }),
    );
    let found = overlaps(holders.into_iter().chain(leafs).collect());
    println!("without the condition: {found} overlaps");
    assert!(found > 0, "a test that finds nothing proves nothing");
}
