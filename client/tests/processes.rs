//! Eight processes with one configuration, which fork and are killed while they draw, over a server, a file and a
//! database: no ID comes twice. The control forks with IDs that were drawn before, and finds them twice.
//!
//! This program starts itself again as those processes: it has a `main` of its own.
#![cfg(unix)]

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use leafid::{Ask, Code, Credentials, Error, Name, Segment, SegmentAsk, Snowflake, Store, Token};
use leafid_servers::{Postgres, Server};

const PROCESSES: usize = 8;
/// Of these processes one dies with `kill -9` and is started again.
const KILLED: usize = 4;
/// How many IDs of each kind a process draws.
const EACH: usize = 20_000;
/// When it says so: then it may be killed.
const SAID: usize = 1_000;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["draw", url, folder, when] => draw(url, Path::new(folder), when).unwrap(),
        ["environment"] => environment(),
        ["inherit", url] => inherit(url).unwrap(),
        ["refused", folder] => refused(Path::new(folder)).unwrap(),
        // The words of libtest with which the parts of `cargo xtask test` leave foreign servers out, or run nothing else.
        ["--skip", "engines::"] => at_hand(),
        ["engines::"] => engines(),
        _ => {
            at_hand();
            engines();
        }
    }
}

/// Over what needs no foreign server.
fn at_hand() {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}", folder.path().join("ids.db").display());
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("environment").env("LEAFID_JOURNAL", folder.path().join("nowhere"));
    for name in ["LEAFID_STORE", "LEAFID_TOKEN", "LEAFID_CA"] {
        command.env(name, OsStr::from_bytes(b"http://\xff"));
    }
    assert!(command.status().unwrap().success());
    // A forked child is told at once what it cannot use.
    let mut command = Command::new(std::env::current_exe().unwrap());
    let said = command.args(["inherit", "memory:"]).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let mut lines: Vec<&str> = said.lines().collect();
    lines.sort();
    assert_eq!(lines, ["Err(Closed)", "Ok(2)"]);
    judge("SQLite", &run("sqlite", &file, "first"), 0);
    judge("SQLite, the control", &run("control", &file, "control"), 1);
    let mut refused = Command::new(std::env::current_exe().unwrap());
    assert!(refused.arg("refused").arg(folder.path()).status().unwrap().success());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let binary = std::env::var_os("LEAFID_BIN").map_or(root.join("dist/leafid"), PathBuf::from);
    if binary.exists() {
        let store = leafid_stream::store::Store::start(&binary, &folder.path().join("server"));
        let store = store.unwrap();
        store.prepare().unwrap();
        judge("a server", &run("http", &store.url(), "later"), 0);
    } else {
        leafid_servers::missing("processes", "`dist/leafid` (cargo xtask build server)");
    }
}

fn engines() {
    if let Some(postgres) = leafid_servers::for_test::<Postgres>() {
        judge("PostgreSQL", &run("postgres", &postgres.url(), "later"), 0);
    }
}

/// The number of IDs, and how many of them came twice.
struct Counted {
    drawn: usize,
    twice: usize,
    processes: usize,
}

fn judge(name: &str, counted: &Counted, least_twice: usize) {
    let Counted { drawn, twice, processes } = counted;
    println!("{name}: {processes} processes, {KILLED} killed, {drawn} IDs, {twice} twice");
    assert_eq!(*twice > 0, least_twice > 0, "{name}: {twice} twice");
    // Each of them and its child draws all; on a busy machine also one that is killed, before the signal comes.
    assert!(*drawn >= 2 * 2 * EACH * PROCESSES, "{name}: {drawn} IDs");
}

struct Started {
    process: Child,
    says: BufReader<ChildStdout>,
}

impl Started {
    fn start(url: &str, folder: &Path, when: &str) -> Started {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["draw", url]).arg(folder).arg(when).stdin(Stdio::null());
        command.env_remove("LEAFID_JOURNAL").stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let says = BufReader::new(process.stdout.take().unwrap());
        Started { process, says }
    }

    /// Waits for so many lines of a process and its child.
    fn hear(&mut self, lines: usize) {
        for _ in 0..lines {
            let mut line = String::new();
            assert!(self.says.read_line(&mut line).unwrap() > 0, "a process ended before its time");
        }
    }
}

fn run(name: &str, url: &str, when: &str) -> Counted {
    let folder = tempfile::tempdir().unwrap();
    let start = || Started::start(url, folder.path(), when);
    let mut all: Vec<Started> = (0..PROCESSES).map(|_| start()).collect();
    for one in &mut all[..KILLED] {
        one.hear(2);
        one.process.kill().unwrap();
        one.process.wait().unwrap();
        // Its child ends by itself.
        *one = start();
    }
    for one in &mut all {
        one.hear(2);
        assert!(one.process.wait().unwrap().success(), "{name}: a process failed");
        // Ends with the last one that writes to it, which is its child.
        let mut rest = String::new();
        while one.says.read_line(&mut rest).unwrap() > 0 {}
    }
    count(folder.path())
}

fn count(folder: &Path) -> Counted {
    let (mut seen, mut drawn, mut processes) = (HashMap::<(u8, i64), usize>::new(), 0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let content = fs::read(entry.unwrap().path()).unwrap();
        processes += 1;
        // One that was killed may leave a part of a line.
        for line in
            content.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"))
        {
            let text = str::from_utf8(&line[1..line.len() - 1]).unwrap();
            drawn += 1;
            *seen.entry((line[0], text.parse().unwrap())).or_default() += 1;
        }
    }
    Counted { drawn, twice: seen.values().filter(|times| **times > 1).count(), processes }
}

/// Draws, forks, and draws on in both; `first`: forks before the first ID; `control`: both go on with what was drawn
/// before.
fn draw(url: &str, folder: &Path, when: &str) -> Result<(), Error> {
    let orders = Segment::builder("orders").store(url);
    let ids = Snowflake::builder("stream").store(url);
    let (orders, ids) = match url.starts_with("http") {
        true => (orders.build()?, ids.build()?),
        false => (orders.create().build()?, ids.create().build()?),
    };
    let mut before = Vec::new();
    if when == "later" {
        orders.next()?;
        ids.next()?;
    }
    if when == "control" {
        before.push(1);
    }
    fork();
    let path = folder.join(format!("{}.ids", std::process::id()));
    let mut file = File::options().create_new(true).append(true).open(path).unwrap();
    for id in before {
        writeln!(file, "s{id}").unwrap();
    }
    for at in 0..EACH {
        // Recorded before the next IDs are drawn: `kill -9` can hide the last two from the count, and no others.
        file.write_all(format!("s{}\nt{}\n", orders.next()?, ids.next()?).as_bytes()).unwrap();
        if at + 1 == SAID {
            println!("drawing");
        }
    }
    orders.close()?;
    ids.close()
}

/// A wrong variable is refused when the store is named. Text that is not UTF-8 is wrong; it does not count as unset.
fn environment() {
    let code = |store: Result<Store, Error>| store.unwrap_err().code();
    if cfg!(target_os = "linux") {
        assert_eq!(code(Store::open("sqlite:ids.db")), Code::StateInvalid);
    }
    assert_eq!(code(Store::open("http://localhost")), Code::RequestInvalid);
    let said = Segment::new("orders").unwrap_err().to_string();
    assert!(said.contains("is not a URL"), "{said}");
    let own = || Credentials { token: Some("own".to_owned()), ..Default::default() };
    assert_eq!(code(Store::http("https://localhost", own())), Code::RequestInvalid);
    assert!(Store::http("http://localhost", own()).is_ok());
}

/// Draws, forks, and draws once more in both.
fn inherit(url: &str) -> Result<(), Error> {
    let orders = Segment::builder("inherited").store(url).create().build()?;
    orders.next()?;
    fork();
    println!("{:?}", orders.next().map_err(|why| why.code()));
    Ok(())
}

/// A child gets no file that its parent has open, by whatever name, at the second try neither, and although the parent
/// closed another connection to it.
fn refused(folder: &Path) -> Result<(), Error> {
    std::os::unix::fs::symlink(folder, folder.join("link")).unwrap();
    let again = format!("../{}/", folder.file_name().unwrap().display());
    let urls = ["", "link/", &again].map(|way| format!("sqlite:{}/{way}open.db", folder.display()));
    let orders = Segment::builder("orders").store(urls[0].as_str()).create().build()?;
    orders.next()?;
    let mut other = Store::open(&urls[0])?.connect();
    other.ask(&Ask::Segment(SegmentAsk::new(Name::tag("orders")?, Token::new([7; 16]))))?;
    drop(other);
    if fork() > 0 {
        assert_eq!(wait(), 0);
        return Ok(());
    }
    for url in urls.iter().chain(&urls) {
        let own = Segment::builder("orders").store(url.as_str()).build()?;
        assert_eq!(own.next().unwrap_err().code(), Code::Closed, "{url}");
        own.close()?;
    }
    Ok(())
}

#[expect(unsafe_code, reason = "a fork is what is tested")]
fn fork() -> i32 {
    // SAFETY: this thread alone uses this program's own memory.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    child
}

/// How the child ended.
#[expect(unsafe_code, reason = "the standard library waits for its own children only")]
fn wait() -> i32 {
    let mut status = -1;
    // SAFETY: writes one number.
    assert!(unsafe { libc::wait(&mut status) } > 0);
    status
}
