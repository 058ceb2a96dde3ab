//! A Leaf at work on the table of a server: no number is given twice, and all lie above the old ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use leafid_core::{Name, SegmentAsk, Token};
use leafid_server::backends::clock::Source;
use leafid_server::backends::mysql::{Address, Leaf as Tables, Mysql};
use leafid_server::backends::opening::{Options, Terms};
use leafid_server::backends::remote::Remote;
use leafid_server::backends::{
    Answer, BackEnd, Facts, Fault, Group, Read, Seen, Want, Watch, Write, Written,
};
use leafid_server::clock::SystemClock;
use leafid_server::registry::Registry;
use leafid_server::store::Store;
use leafid_servers::{Mariadb, for_test};

use crate::running::{Leaf, database, overlaps};

type Ranges = Vec<(u64, u64)>;

/// So many programs lease through the servers, and so many Leafs take segments, so many times each.
const HOLDERS: usize = 4;
const LEAFS: usize = 3;
const ROUNDS: usize = 60;
/// Where the row stands when all begin.
const OLD: u64 = 1_000_001;

fn terms() -> Terms {
    Terms { options: Options::default(), allow_unsafe: false, source: Source::Database }
}

fn opened(url: &str) -> Remote<Mysql<Tables>> {
    let address = Address::parse(url).expect("an address");
    let clock = Arc::new(SystemClock);
    let terms = Terms { options: Options { create: true, ..Options::default() }, ..terms() };
    Remote::open(&address, &address.place, clock, &terms).expect("a store")
}

fn registry(back_end: impl BackEnd) -> Registry {
    Registry::over(back_end, Arc::new(SystemClock), false).expect("a registry")
}

/// A back end whose condition is left out: whatever a row was decided on, it is written as if it
/// were still so.
struct Careless(Remote<Mysql<Tables>>);

impl BackEnd for Careless {
    fn facts(&self) -> Facts {
        self.0.facts()
    }

    fn watch(&self) -> Arc<dyn Watch> {
        self.0.watch()
    }

    fn at_once(&self) -> usize {
        self.0.at_once()
    }

    async fn begin(&mut self) -> Result<Option<leafid_core::StoreTime>, Fault> {
        self.0.begin().await
    }

    async fn read(&mut self, wants: &[Want]) -> Result<Read, Fault> {
        self.0.read(wants).await
    }

    async fn write(&mut self, groups: &[Group]) -> Result<Written, Fault> {
        let mut groups = groups.to_vec();
        for write in groups.iter_mut().flatten() {
            if let Write::Tag { tag, before, .. } = write
                && let [Answer::Tag(Some(now))] =
                    &self.0.read(&[Want::Tag(*tag)]).await?.answers[..]
            {
                *before = Some(Seen { row: now.row, revision: 0 });
            }
        }
        self.0.write(&groups).await
    }
}

/// What holders had through these servers, and Leafs beside them.
fn at_work(url: &str, servers: [Registry; 2]) -> (Ranges, Ranges) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let servers = Arc::new(servers);
    runtime.block_on(async {
        let leased = Arc::new(AtomicU32::new(0));
        let done = Arc::new(AtomicBool::new(false));
        let leafs: Vec<_> = (0..LEAFS)
            .map(|leaf| {
                let (url, done) = (url.to_owned(), Arc::clone(&done));
                tokio::spawn(async move {
                    let mut connection = Leaf::connect(&url).await;
                    let mut taken = Vec::new();
                    // As long as holders lease, so that they are always beside each other.
                    while taken.len() < ROUNDS || !done.load(Ordering::SeqCst) {
                        // Leaf doubles its step where a segment did not last.
                        let step = (taken.len() % 2 == leaf % 2).then_some(4_000);
                        taken.push(connection.segment("orders", step).await);
                    }
                    taken
                })
            })
            .collect();
        let holders: Vec<_> = (0..HOLDERS)
            .map(|holder| {
                let (servers, leased) = (Arc::clone(&servers), Arc::clone(&leased));
                tokio::spawn(async move {
                    let mut taken = Vec::new();
                    for round in 0..ROUNDS {
                        let n = leased.fetch_add(1, Ordering::SeqCst);
                        let mut request = [7; 16];
                        request[..4].copy_from_slice(&n.to_be_bytes());
                        let tag = Name::tag("orders").expect("a tag");
                        let ask = SegmentAsk::new(tag, Token::new(request));
                        let server = &servers[(holder + round) % 2];
                        // Leafs are always faster to write than we to read: asked again until it is
                        // had, as every holder does.
                        loop {
                            match server.lease_segment(ask).await {
                                Ok(grant) => {
                                    break taken.push((grant.range.start, grant.range.end));
                                }
                                Err(problem) if !problem.code.is_permanent() => {}
                                Err(problem) => panic!("{problem}"),
                            }
                        }
                    }
                    taken
                })
            })
            .collect();
        let mut of_holders = Vec::new();
        for holder in holders {
            of_holders.extend(holder.await.expect("a holder"));
        }
        done.store(true, Ordering::SeqCst);
        let mut of_leafs = Vec::new();
        for leaf in leafs {
            of_leafs.extend(leaf.await.expect("a Leaf"));
        }
        (of_holders, of_leafs)
    })
}

#[test]
fn a_running_leaf_and_two_servers_give_no_number_twice() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let rows = format!("('orders', {OLD}, 2000, 'made by Leaf')");
    let url = database(&server, "beside", &rows);
    let (holders, leafs) = at_work(&url, [registry(opened(&url)), registry(opened(&url))]);
    let all: Ranges = holders.iter().chain(&leafs).copied().collect();
    println!("{} leases, {} of Leaf's segments", holders.len(), leafs.len());
    assert_eq!(holders.len(), HOLDERS * ROUNDS);
    assert!(leafs.len() >= LEAFS * ROUNDS);
    assert!(all.iter().all(|(from, until)| *from >= OLD && from < until), "above the old ones");
    assert_eq!(overlaps(all), 0);

    // The control: the same without the condition of the write.
    let url = database(&server, "careless", &rows);
    let careless = || registry(Careless(opened(&url)));
    let (holders, leafs) = at_work(&url, [careless(), careless()]);
    let found = overlaps(holders.into_iter().chain(leafs).collect());
    println!("without the condition: {found} overlaps");
    assert!(found > 0, "a test that finds nothing proves nothing");
}
