//! How many IDs two processes have in common: after a fork with a generator in use, and with one configuration.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::process::{Command, Stdio};

use leafid::{Segment, Snowflake};
use leafid_benches::server::TAG;

use super::{Ferroid, MonotonicClock, ferroid};

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
    ]
}

/// Prints the table.
pub fn show(url: &str) -> Result<(), String> {
    println!(
        "\n| Rust: of 2 × {EACH} IDs, twice | after a fork | two processes, one configuration |\n\
         |---|---|---|"
    );
    for (name, make) in kinds(url) {
        let forked = forked(&make).map_or("the child hangs".to_owned(), |n| n.to_string());
        println!("| {name} | {forked} | {} |", beside(name, url)?);
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
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let start = || Command::new(&this).args(["--draw", kind, url]).stdout(Stdio::piped()).spawn();
    let two = [start(), start()];
    let mut ids = Vec::new();
    for process in two {
        let ended = process.and_then(std::process::Child::wait_with_output);
        ids.push(ended.map_err(|error| error.to_string())?.stdout);
    }
    common(&ids[0], &ids[1]).ok_or_else(|| format!("{kind}: a process ended without its IDs"))
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
    common(&mine, &others)
}

/// Draws IDs, as bytes.
fn drawn(mut own: Box<dyn FnMut() -> u128>) -> Vec<u8> {
    (0..EACH).flat_map(|_| own().to_le_bytes()).collect()
}

/// How many IDs of two processes are the same, also within one; `None` if some are missing.
fn common(mine: &[u8], others: &[u8]) -> Option<usize> {
    let ids = |bytes: &[u8]| -> Vec<[u8; 16]> {
        bytes.chunks_exact(16).filter_map(|id| id.try_into().ok()).collect()
    };
    let (mine, others) = (ids(mine), ids(others));
    let all: BTreeSet<_> = mine.iter().chain(&others).collect();
    let whole = (mine.len(), others.len()) == (EACH, EACH);
    whole.then(|| mine.len() + others.len() - all.len())
}
