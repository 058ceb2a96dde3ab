//! What one request costs the central store, beside a bare handler of the same framework in the same
//! run: `leafid serve` on a file of its own, on one core; the clients on the other.
//!
//! `store PATH-TO-LEAFID`; `cargo xtask bench --only store` runs it with the published binary, and
//! `--only holders` with a Python that has the published package.

mod bare;
mod client;
mod cpu;
mod fill;
mod holders;
mod round;
mod rounds;
mod work;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use leafid_stream::store::Store;

use bare::Bare;
use rounds::{Figure, Server, in_turns};
use work::Work;

/// The clients of the rows with many.
const CLIENTS: usize = 32;
/// The clients that acquire: there are namespaces of ten numbers.
const ACQUIRING: usize = 4;
/// How many numbers, and rows, the namespaces have that windows are acquired in.
const ROWS: [u32; 3] = [10, 1_000, 65_536];

type Outcome<T = ()> = Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--bare"] => bare::serve(),
        [binary] => run(Path::new(binary)),
        [binary, "--holders", python] => holders::run(Path::new(binary), Path::new(python)),
        _ => Err("`store PATH-TO-LEAFID [--holders PYTHON]`".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("store: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(binary: &Path) -> Outcome {
    let folder = Folder::new();
    // What is started from here is served on the first core; all that starts later loads the other.
    let pinned = cpu::pin(0);
    let bare = Bare::start()?;
    let store = Store::start(binary, folder.path())?;
    cpu::pin(1);
    match pinned {
        true => println!("servers on core 0, clients on core 1"),
        false => println!("one core, or not Linux: servers and clients share what there is"),
    }
    store.operate(&["tag", "create", "bench"])?;
    let (mut filled, mut wrong) = (Vec::new(), Vec::new());
    for rows in ROWS {
        match fill::namespace_of(&store, rows, rows) {
            Ok(()) => filled.push(rows),
            Err(error) => wrong.push(error),
        }
    }

    let of_bare = Server { address: bare.address(), process: bare.id() };
    let of_store = Server { address: store.address(), process: store.id() };
    let mut all = vec![
        (of_bare, CLIENTS, Work::Bare),
        (of_store, CLIENTS, Work::Ids { tag: "bench" }),
        (of_store, CLIENTS, Work::Lease { tag: "bench" }),
    ];
    all.extend(filled.iter().map(|&rows| (of_store, ACQUIRING, Work::Acquire { rows })));
    let figures = in_turns(&all, Duration::from_secs(2))?;
    print(&figures);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn print(figures: &[Figure]) {
    let [bare, ids, leases, acquires @ ..] = figures else { return };
    println!(
        "\n| the store, {CLIENTS} clients | per second | CPU µs | × floor | p50 ms | p99 ms | p999 ms |"
    );
    println!("|---|---|---|---|---|---|---|");
    for figure in [bare, ids, leases] {
        row(figure, bare);
    }
    println!(
        "\n| a window acquired and given back, {ACQUIRING} clients | per second | CPU µs \
         | × ten numbers | p50 ms | p99 ms | p999 ms |"
    );
    println!("|---|---|---|---|---|---|---|");
    for figure in acquires {
        row(figure, &acquires[0]);
    }
}

fn row(figure: &Figure, floor: &Figure) {
    let Figure { name, per_second, cpu_us, p50_ms, p99_ms, p999_ms, .. } = figure;
    let ratio = figure.ratio_to(floor);
    println!(
        "| {name} | {per_second:.0} | {cpu_us:.0} | {ratio:.2} | {p50_ms:.2} | {p99_ms:.2} | {p999_ms:.2} |"
    );
}

/// A folder of this run's own, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        Folder(std::env::temp_dir().join(format!("leafid-bench-{}", std::process::id())))
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            eprintln!("store: `{}`: {error}", self.0.display());
        }
    }
}

/// Runs the same on so many threads, one for each client; the first error ends it.
fn side_by_side<T: Send>(
    clients: usize,
    job: impl Fn(usize) -> Outcome<T> + Sync,
) -> Outcome<Vec<T>> {
    thread::scope(|scope| {
        let job = &job;
        let started: Vec<_> = (0..clients).map(|at| scope.spawn(move || job(at))).collect();
        let ended = started
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err("a client panicked".to_owned())));
        ended.collect()
    })
}
