//! `cargo xtask run`: one tag and one namespace, drawn from by Python, Node and a Worker at once,
//! every ID checked while it runs.

mod clock;
mod database;
mod display;
mod picture;
pub mod scratch;
mod verdict;

use std::io::IsTerminal;
use std::thread;
use std::time::{Duration, Instant};

use leafid_core::Layout;
use leafid_stream::hosts::{Draw, Installed, Program, Stage};
use leafid_stream::store::Store;
use leafid_stream::stream::Stream;

use crate::args::Args;
use crate::parts::Parts;
use crate::process::log::Log;
use crate::{Outcome, build, consumers, interrupt, prerequisites, project, tools};
use database::{Database, Kind};
use display::Display;
use picture::Picture;
use scratch::Scratch;

/// The line of numbers that all hosts share; its steps are of 100, so that ranges change hands often.
pub const TAG: &str = "orders";
/// The numbers of one lease.
pub const STEP: u64 = 100;
/// The namespace that all hosts share; its windows are of 10 s.
pub const NAMESPACE: &str = "stream";

/// IDs per second and host, half of them numbers, half of them snowflake IDs.
const RATE: u32 = 2_000;
/// How long a call may wait before the host calls it an error.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long the hosts may take to close, in the end.
const CLOSING: Duration = Duration::from_secs(20);

/// What the user asked for.
struct Wanted {
    /// When to end; else Ctrl-C does.
    seconds: Option<u64>,
    rate: u32,
    /// What the store lies in.
    kind: Kind,
}

/// The verb.
pub fn main(mut args: Args) -> Outcome {
    let word = args.value("--store")?;
    let (seconds, rate) = (args.number("--seconds")?, args.number("--rate")?.unwrap_or(RATE));
    args.finish()?;
    let wanted = Wanted { seconds, rate, kind: Kind::named(word.as_deref().unwrap_or("sqlite"))? };
    if wanted.rate == 0 {
        return Err("`--rate` is IDs per second and host: at least 1".to_owned());
    }
    prerequisites::check()?;
    if wanted.kind.is_embedded() {
        build::server::with_sqlite_alone();
    }
    let installed = installed()?;
    interrupt::in_order();
    let scratch = Scratch::make()?;
    let database = wanted.kind.start()?;
    let folder = scratch.path().join("store");
    let mut store = match &database {
        Some(database) => Store::start_on(&build::server_binary(), &folder, &database.url)?,
        None => Store::start(&build::server_binary(), &folder)?,
    };
    store.prepare(TAG, NAMESPACE)?;
    let stage = Stage::make(&installed, scratch.path());
    let stage = stage.map_err(|error| format!("the host programs: {error}"))?;
    announce(&store, database.as_ref(), &wanted);

    let mut stream = Stream::new(Layout::LEAF);
    for program in Program::ALL {
        let draw = Draw {
            store: store.url(),
            tag: TAG.to_owned(),
            namespace: NAMESPACE.to_owned(),
            rate: wanted.rate,
            timeout: TIMEOUT,
            only: None,
        };
        let started = stream.start(program.name(), stage.command(program, &draw));
        started.map_err(|error| format!("{} does not start: {error}", program.name()))?;
    }
    let mut picture = Picture::default();
    watch(&mut stream, &mut store, &wanted, &mut picture)?;
    stream.close(CLOSING)?;
    if std::io::stdout().is_terminal() {
        picture.show(&stream);
    }
    let released = verdict::windows_released(&store, stream.checker.workers())?;
    let status = store.terminate()?;
    println!("\n{released}");
    if !status.success() {
        return Err(format!("the store did not end well: {status}"));
    }
    if let Some(database) = database {
        database.stop()?;
    }
    verdict::tell(&stream)?;
    println!(
        "\nnext: the README's quick start builds the packages that you install, by `cargo xtask build`"
    );
    Ok(())
}

/// Builds and installs what the stream needs, and nothing else.
fn installed() -> Outcome<Installed> {
    const STEPS: [&str; 7] = ["server", "tools", "wheel", "wasm", "node", "npm", "install"];
    println!("the first run builds and fetches for about two minutes: {}", STEPS.join(", "));
    let parts = Parts::new("run", STEPS.len());
    // What npm and PyPI have for it is fetched while the server is compiled.
    let log = Log::create(project::target().join("log/run/fetch.log"))?;
    let fetched = thread::spawn(move || {
        log.during(|| tools::node_modules().and(tools::python("maturin")).map(drop))
    });
    parts.step("server", || build::need(&["server"]))?;
    parts
        .step("tools", || fetched.join().unwrap_or_else(|_| Err("fetching panicked".to_owned())))?;
    for name in ["wheel", "wasm", "node", "npm"] {
        parts.step(name, || build::need(&[name]))?;
    }
    let mut installed = None;
    parts.step("install", || {
        let (python, consumer) = (consumers::python("stream", &[])?, consumers::node()?);
        installed = Some(Installed { root: project::root().to_owned(), python, consumer });
        Ok(())
    })?;
    installed.ok_or_else(|| "nothing is installed".to_owned())
}

fn announce(store: &Store, database: Option<&Database>, wanted: &Wanted) {
    let end = wanted.seconds.map_or("Ctrl-C ends it".to_owned(), |s| format!("{s} s"));
    println!(
        "\none tag `{TAG}` (steps of {STEP}) and one namespace `{NAMESPACE}` (windows of 10 s), \
         three hosts, {} IDs/s each, half numbers, half snowflake IDs; {end}",
        wanted.rate
    );
    if let Some(Database { name, url, .. }) = database {
        println!("the database: {name} on {url}, gone with this run");
    }
    println!("the store and its dashboard: {}/\n", store.url());
}

/// Shows the stream until its time is over, the user ends it, or something fails.
fn watch(
    stream: &mut Stream,
    store: &mut Store,
    wanted: &Wanted,
    picture: &mut Picture,
) -> Outcome {
    let terminal = std::io::stdout().is_terminal();
    let every = Duration::from_millis(if terminal { 200 } else { 1_000 });
    let mut display = Display::new(terminal);
    // The time counts from the moment when every host has given an ID: starting is not streaming.
    let ready = Duration::from_secs(60);
    let all = |stream: &Stream| stream.hosts().iter().all(|host| host.ids() > 0);
    let stop = |stream: &Stream| all(stream) || stream.hosts().iter().any(|host| host.ended);
    if !stream.watch(
        ready,
        |event| picture.note(event),
        |stream| stop(stream) || interrupt::asked(),
    ) {
        let late: Vec<_> = stream.hosts().iter().filter(|host| host.ids() == 0).collect();
        let told = late.iter().map(|host| format!("{}\n{}", host.name, host.stderr()));
        return Err(format!("no ID within {ready:?} from {}", told.collect::<Vec<_>>().join(", ")));
    }
    let end = wanted.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    loop {
        let next = Instant::now() + every;
        let next = end.map_or(next, |end| end.min(next));
        let left = next.saturating_duration_since(Instant::now());
        stream.watch(left, |event| picture.note(event), |_| interrupt::asked());
        display.show(stream);
        if let Some(fault) = stream.fault() {
            return Err(fault);
        }
        if store.is_gone() {
            return Err(format!("the store is gone\n{}", store.stderr()));
        }
        let over = end.is_some_and(|end| Instant::now() >= end);
        if over || interrupt::asked() || stream.checker.duplicates() > 0 {
            return Ok(());
        }
    }
}
