//! How many IDs two processes have in common: after a fork with a generator in use, with one configuration, and where
//! the second is a restart after the clock went back.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use leafid::{Segment, Snowflake};
use leafid_benches::server::TAG;

use super::{Ferroid, MonotonicClock, ferroid, scru64};

const EACH: usize = 100_000;
/// How long a forked process may take, in s.
const LIMIT_S: u32 = 20;

/// A kind of IDs: makes a generator with the usual configuration.
type Make<'a> = (&'a str, Box<dyn Fn() -> Box<dyn FnMut() -> u128> + 'a>);

/// All kinds; leafid's generators draw from this server.
fn kinds(url: &str) -> Vec<Make<'_>> {
    let segment = move || Segment::builder(TAG).store(url).build();
    let flakes = move || Snowflake::builder("default").store(url).build();
    vec![
        (
            "leafid, `Segment`",
            Box::new(move || {
                let ids = segment().expect("a generator");
                Box::new(move || ids.next().expect("an ID") as u128)
            }),
        ),
        (
            "leafid, `Snowflake`",
            Box::new(move || {
                let ids = flakes().expect("a generator");
                Box::new(move || ids.next().expect("an ID") as u128)
            }),
        ),
        ("uuid 1: v4, `fast-rng`", Box::new(|| Box::new(|| uuid::Uuid::new_v4().as_u128()))),
        ("uuid 1: v7, `fast-rng`", Box::new(|| Box::new(|| uuid::Uuid::now_v7().as_u128()))),
        ("ulid 3", Box::new(|| Box::new(|| ulid::Ulid::generate().0))),
        (
            "ferroid 2",
            Box::new(|| {
                let own = Ferroid::new(0, MonotonicClock::default());
                Box::new(move || ferroid(&own).into())
            }),
        ),
        (
            "snowflaked 1",
            Box::new(|| {
                let mut own = snowflaked::Generator::new(0);
                Box::new(move || own.generate::<u64>().into())
            }),
        ),
        (
            "rs-snowflake 0.6",
            Box::new(|| {
                let mut own = snowflake::SnowflakeIdGenerator::new(1, 1);
                Box::new(move || own.real_time_generate() as u128)
            }),
        ),
        (
            "scru64 2",
            Box::new(|| {
                let mut own = scru64();
                Box::new(move || own.generate_or_reset().to_u64().into())
            }),
        ),
    ]
}

/// Prints the table.
pub fn show(url: &str) -> Result<(), String> {
    println!(
        "\n| Rust: of 2 × {EACH} IDs, twice | after a fork | two processes, one configuration | a restart after the \
         clock went back |\n|---|---|---|---|"
    );
    let library = shifted_clock()?;
    for (name, make) in kinds(url) {
        let forked = forked(&make).map_or("the child hangs".to_owned(), |n| n.to_string());
        println!(
            "| {name} | {forked} | {} | {} |",
            beside(name, url)?,
            restarted(name, url, &library)?
        );
    }
    Ok(())
}

/// Draws as one of two processes, and prints the IDs.
pub fn draw(kind: &str, url: &str) -> Result<(), String> {
    let make = kinds(url).into_iter().find(|(name, _)| *name == kind);
    let (_, make) = make.ok_or("no such kind")?;
    std::io::stdout().write_all(&drawn(make())).map_err(|error| error.to_string())
}

/// How many IDs two new processes with one configuration have in common.
fn beside(kind: &str, url: &str) -> Result<usize, String> {
    let two = [start(kind, url, &[])?, start(kind, url, &[])?];
    let [first, second] = two.map(|process| ids_of(kind, process));
    Ok(common(&first?, &second?))
}

/// How many IDs a process and its next run have in common, if the wall clock goes back meanwhile to where it was when
/// the first began.
fn restarted(kind: &str, url: &str, library: &Path) -> Result<usize, String> {
    let library = library.display().to_string();
    let preloaded = |back: u128| [("LD_PRELOAD", library.clone()), ("BACK_MS", back.to_string())];
    let began = Instant::now();
    let first = ids_of(kind, start(kind, url, &preloaded(0))?)?;
    let back = began.elapsed().as_millis();
    let second = ids_of(kind, start(kind, url, &preloaded(back))?)?;
    Ok(common(&first, &second))
}

/// Builds the library that puts a process's wall clock back by `BACK_MS`.
fn shifted_clock() -> Result<PathBuf, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let library = this.with_file_name("back.so");
    let mut built = Command::new("cc");
    built.args(["-shared", "-fPIC", "-o"]).arg(&library);
    match built.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/src/rust/back.c")).status() {
        Ok(status) if status.success() => Ok(library),
        other => Err(format!("cc: {other:?}")),
    }
}

/// Starts a process that draws as [`draw`].
fn start(kind: &str, url: &str, variables: &[(&str, String)]) -> Result<Child, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(this);
    command.args(["--draw", kind, url]).envs(variables.iter().cloned()).stdout(Stdio::piped());
    command.spawn().map_err(|error| error.to_string())
}

/// The IDs of a process that ends by itself.
fn ids_of(kind: &str, process: Child) -> Result<Vec<u8>, String> {
    let ended = process.wait_with_output().map_err(|error| error.to_string())?;
    match ended.stdout.len() == 16 * EACH {
        true => Ok(ended.stdout),
        false => Err(format!("{kind}: a process ended without its IDs")),
    }
}

/// How many IDs this process and a forked one have in common, if a generator was in use before; `None` if the forked
/// one gives none.
#[expect(unsafe_code, reason = "a fork is what is measured")]
fn forked(make: impl Fn() -> Box<dyn FnMut() -> u128>) -> Option<usize> {
    let mut own = make();
    own();
    let mut ends = [0; 2];
    // SAFETY: the pipe's ends are owned by one file each, and the child ends without unwinding.
    let (mut heard, child) = unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        let (heard, said) = (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1]));
        let child = libc::fork();
        assert!(child >= 0);
        if child == 0 {
            libc::alarm(LIMIT_S);
            let done = (&said).write_all(&drawn(own)).is_ok();
            libc::_exit(i32::from(!done));
        }
        drop(said);
        (heard, child)
    };
    let mine = drawn(own);
    let mut others = Vec::new();
    heard.read_to_end(&mut others).expect("the child's IDs");
    let mut status = 0;
    // SAFETY: the child is this process's own.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    (others.len() == mine.len()).then(|| common(&mine, &others))
}

/// Draws IDs, as bytes.
fn drawn(mut own: Box<dyn FnMut() -> u128>) -> Vec<u8> {
    (0..EACH).flat_map(|_| own().to_le_bytes()).collect()
}

/// How many IDs of two processes are the same, also within one.
fn common(mine: &[u8], others: &[u8]) -> usize {
    let ids = || mine.chunks_exact(16).chain(others.chunks_exact(16));
    ids().count() - ids().collect::<BTreeSet<_>>().len()
}
