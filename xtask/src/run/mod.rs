//! `cargo xtask run`: Python, Node and a Worker draw from one tag and one namespace at once, and every ID is
//! checked.

mod display;
mod verdict;

use std::thread;
use std::time::{Duration, Instant};

use leafid_stream::hosts::{Installed, Program, RATE, Stage};
use leafid_stream::store::{NAMESPACE, STEP, Store, TAG};
use leafid_stream::stream::Stream;

use crate::args::Args;
use crate::parts::Parts;
use crate::process::log::Log;
use crate::{Outcome, build, consumers, files, interrupt, prerequisites, project, tools};
use display::Display;

/// The time-out of a host's calls.
const TIMEOUT: Duration = Duration::from_secs(10);
const EVERY: Duration = Duration::from_millis(200);
const STARTING: Duration = Duration::from_secs(60);
const CLOSING: Duration = Duration::from_secs(20);

pub fn main(mut args: Args) -> Outcome {
    let seconds = args.value("--seconds")?;
    args.finish()?;
    let seconds =
        seconds.map(|said| said.parse().map_err(|_| format!("`{said}` is no number of seconds")));
    let seconds: Option<u64> = seconds.transpose()?;
    prerequisites::check()?;
    build::server::with_sqlite_alone();
    let installed = installed()?;
    interrupt::in_order()?;
    let scratch = files::scratch()?;
    let mut store = Store::start(&build::server_binary(), &scratch.path().join("store"))?;
    store.prepare()?;
    let stage = Stage::make(&installed, scratch.path(), TIMEOUT);
    let stage = stage.map_err(|error| format!("the host programs: {error}"))?;
    let end = seconds.map_or("Ctrl-C ends it".to_owned(), |seconds| format!("{seconds} s"));
    println!(
        "\none tag `{TAG}` (steps of {STEP}) and one namespace `{NAMESPACE}` (windows of 10 s), \
         three hosts, {RATE} IDs/s each, half numbers, half snowflake IDs; {end}"
    );
    println!("the store and its dashboard: {}/\n", store.url());

    let mut stream = Stream::default();
    for program in Program::ALL {
        stage.start(&mut stream, program, &store.url())?;
    }
    watch(&mut stream, &mut store, seconds)?;
    stream.close(CLOSING)?;
    let released = verdict::windows_released(&store, stream.checker.workers())?;
    let status = store.terminate()?;
    println!("\n{released}");
    if !status.success() {
        return Err(format!("the store did not end well: {status}"));
    }
    verdict::tell(&stream)?;
    println!(
        "\nnext: the README's quick start builds the packages that you install, by `cargo xtask build`"
    );
    Ok(())
}

/// Builds and installs only what the stream needs.
fn installed() -> Outcome<Installed> {
    println!("the first run builds and fetches for two to five minutes");
    // Fetches from npm and PyPI while the server compiles; errors are repeated below.
    let log = Log::create(project::target().join("log/run/fetch.log"))?;
    thread::spawn(move || log.during(|| tools::node_modules().and(tools::maturin())));
    let parts = Parts::new("run", true);
    for name in ["server", "wheel", "npm"] {
        let built = || build::product(name).map(|product| files::shown(&product));
        if !parts.part(name, built) {
            return Err(format!("`{name}` was not built; the next run goes on from there"));
        }
    }
    let (python, consumer) = (consumers::python("stream", &[])?, consumers::node()?);
    Ok(Installed { root: project::root().to_owned(), python, consumer })
}

/// Shows the stream until its time is over, the user ends it, or something fails.
fn watch(stream: &mut Stream, store: &mut Store, seconds: Option<u64>) -> Outcome {
    let mut display = Display::new();
    // The time begins once every host has given an ID: starting up does not count.
    let all = |stream: &Stream| stream.hosts().iter().all(|host| host.ids() > 0);
    let stop = |stream: &Stream| all(stream) || stream.hosts().iter().any(|host| host.ended);
    if !stream.pump(STARTING, |stream| stop(stream) || interrupt::asked()) {
        let late = stream.hosts().iter().filter(|host| host.ids() == 0);
        let told: Vec<_> = late.map(|host| format!("{}\n{}", host.name, host.stderr())).collect();
        return Err(format!("no ID within {STARTING:?} from {}", told.join(", ")));
    }
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    loop {
        let next = Instant::now() + EVERY;
        let next = end.map_or(next, |end| end.min(next));
        let left = next.saturating_duration_since(Instant::now());
        stream.pump(left, |_| interrupt::asked());
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
