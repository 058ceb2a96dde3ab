//! The crate `leafid` beside other crates of IDs, in the same run.
//!
//! `rust PATH-TO-LEAFID`; `cargo xtask bench --only rust` runs it with the published binary.

mod twice;

use std::future::Future;
use std::hint::black_box;
use std::path::Path;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;

use ferroid::generator::AtomicSnowflakeGenerator;
use ferroid::id::SnowflakeTwitterId;
use ferroid::time::MonotonicClock;
use leafid::{Layout, Segment, Snowflake, Store};
use leafid_benches::measure::{table, work};
use leafid_benches::program;
use leafid_benches::server::Server;

/// How many IDs each of two threads draws in one measured call.
const EACH: u64 = 500_000;

/// How many IDs each measured call draws in a loop, as a service does that has its generator at hand.
const LOOP: u64 = 64;

fn looped(mut one: impl FnMut() -> u64) -> impl FnMut() -> u64 {
    move || (0..LOOP).map(|_| black_box(one())).last().unwrap_or(0)
}

fn main() -> ExitCode {
    program("rust", |words| match words {
        [binary] => {
            let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
            let server = Server::leafid(Path::new(binary), folder.path(), false)?;
            let url = format!("http://{}", server.address);
            measure().map_err(|error| error.to_string())?;
            twice::show(&url)
        }
        ["--draw", kind, url] => twice::draw(kind, url),
        _ => Err("`rust PATH-TO-LEAFID`".to_owned()),
    })
}

fn measure() -> Result<(), leafid::Error> {
    let store = Store::memory()?;
    let orders = Segment::builder("orders").store(&store).step(1 << 24).build()?;
    // 2^20 IDs in each ms: the layout's own limit is not to be measured.
    let layout = Layout::new(1_735_689_600_000, 1, 41, 2, 20).expect("a layout");
    let ids = Snowflake::builder("bench").layout(layout).store(&store).build()?;
    // The first range is short.
    orders.take(100_000)?;
    ids.next()?;
    let (mut own, mut own_flakes) = (orders.local(1_024), ids.local(1_024));
    let atomic = AtomicU64::new(0);
    let number = |id: Result<i64, leafid::Error>| id.expect("an ID") as u64;
    table(
        "Rust: one ID, one thread, in a loop",
        vec![
            work(
                "one atomic add (the floor)",
                LOOP,
                looped(|| atomic.fetch_add(1, Ordering::Relaxed)),
            ),
            work("`Segment::next`, shared", LOOP, looped(|| number(orders.next()))),
            work("`Segment::local`, owned", LOOP, looped(|| number(own.next()))),
            work(
                "`Snowflake::next`, shared, its clock read included",
                LOOP,
                looped(|| number(ids.next())),
            ),
            work("`Snowflake::local`, owned", LOOP, looped(|| number(own_flakes.next()))),
            work("`Segment::next_async`", LOOP, looped(|| number(at_once(orders.next_async())))),
            work("uuid 1: v4", LOOP, looped(|| uuid::Uuid::new_v4().as_u128() as u64)),
            work("uuid 1: v7", LOOP, looped(|| uuid::Uuid::now_v7().as_u128() as u64)),
            work("ulid 3", LOOP, looped(|| ulid::Ulid::generate().0 as u64)),
            work("ferroid 2: shared snowflake", LOOP, looped(|| ferroid(&FERROID))),
            work("snowflaked 1: shared", LOOP, looped(|| SNOWFLAKED.generate())),
            work("rs-snowflake 0.6: owned, `lazy_generate`", LOOP, {
                let mut own = snowflake::SnowflakeIdGenerator::new(1, 1);
                looped(move || own.lazy_generate() as u64)
            }),
            work("scru64 2: owned", LOOP, {
                let mut own = scru64();
                looped(move || own.generate_or_reset().to_u64())
            }),
        ],
    );

    let mut plain = vec![0i64; 1_024];
    let (mut buffer, mut stamped) = (plain.clone(), plain.clone());
    let mut next = 0;
    table(
        "Rust: 1,024 IDs into a slice",
        vec![
            work("counting into a slice (the floor)", 1_024, || {
                for place in &mut plain {
                    *place = next;
                    next += 1;
                }
                black_box(&plain)[7] as u64
            }),
            work("`Segment::fill`", 1_024, || {
                orders.fill(&mut buffer).expect("IDs");
                buffer[7] as u64
            }),
            work("`Snowflake::fill`", 1_024, || {
                ids.fill(&mut stamped).expect("IDs");
                stamped[7] as u64
            }),
        ],
    );

    let both = AtomicU64::new(0);
    table(
        "Rust: one ID, two threads",
        vec![
            work("one atomic add (the floor)", 2 * EACH, || {
                by_two(|| || both.fetch_add(1, Ordering::Relaxed))
            }),
            work("a count of its own for each thread", 2 * EACH, || by_two(counting)),
            work("the same, one thread", EACH, || {
                let mut own = counting();
                (0..EACH).map(|_| black_box(own())).last().unwrap_or(0)
            }),
            work("`Segment::next`, shared", 2 * EACH, || by_two(|| || number(orders.next()))),
            work("`Segment::local`, one for each thread", 2 * EACH, || {
                by_two(|| {
                    let mut own = orders.local(1_024);
                    move || number(own.next())
                })
            }),
            work("the same, one thread", EACH, || {
                let mut own = orders.local(1_024);
                (0..EACH).map(|_| black_box(number(own.next()))).last().unwrap_or(0)
            }),
            work("uuid 1: v7", 2 * EACH, || by_two(|| || uuid::Uuid::now_v7().as_u128() as u64)),
            work("ferroid 2: shared snowflake", 2 * EACH, || by_two(|| || ferroid(&FERROID))),
            work("snowflaked 1: shared", 2 * EACH, || by_two(|| || SNOWFLAKED.generate())),
        ],
    );
    Ok(())
}

type Ferroid = AtomicSnowflakeGenerator<SnowflakeTwitterId, MonotonicClock>;
static FERROID: std::sync::LazyLock<Ferroid> =
    std::sync::LazyLock::new(|| Ferroid::new(0, MonotonicClock::default()));
static SNOWFLAKED: snowflaked::sync::Generator = snowflaked::sync::Generator::new(0);

fn scru64() -> scru64::generator::Scru64Generator {
    scru64::generator::Scru64Generator::new("0/1".parse().expect("a node"))
}

/// What any generator does at least: it counts.
fn counting() -> impl FnMut() -> u64 {
    let mut count = 0;
    move || {
        count += 1;
        count
    }
}

fn ferroid(of: &Ferroid) -> u64 {
    of.next_id(|_| std::hint::spin_loop()).to_raw()
}

/// The result of a future that completes at once.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("an ID was to be at hand"),
    }
}

/// Draws in two threads, each with its own function.
fn by_two<D: FnMut() -> u64 + Send>(make: impl Fn() -> D) -> u64 {
    let draw = |mut one: D| (0..EACH).map(|_| black_box(one())).last().unwrap_or(0);
    let (mine, other) = (make(), make());
    thread::scope(|scope| {
        let other = scope.spawn(move || draw(other));
        draw(mine).wrapping_add(other.join().unwrap_or(0))
    })
}
