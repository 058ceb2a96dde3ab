//! Finds and starts the programs of a server.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use leafid_stream::child::{dies_with_us, said};

/// How long a server may take to answer, and to end.
pub const LIMIT: Duration = Duration::from_secs(240);
/// How long any other program may take: creating a database is much work for a busy machine.
const PROGRAM: Duration = Duration::from_secs(600);
/// The user for programs that refuse to run as root.
pub const NOBODY: u32 = 65_534;

/// A command that ends with this process, where the system supports that; as `nobody` if we are root.
pub fn as_nobody(program: &Path) -> Command {
    if !is_root() {
        return dies_with_us(program);
    }
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")]);
    command.args(["--clear-groups", "--pdeathsig", "TERM"]).arg(program);
    command
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs a program to its end; gives its output.
pub fn run(command: Command) -> Result<String, String> {
    said(command, PROGRAM).map(|text| text.trim_end().to_owned())
}

/// Waits until something is so.
pub fn until(is_so: impl Fn() -> bool) -> Result<(), String> {
    let begun = Instant::now();
    while !is_so() {
        if begun.elapsed() > LIMIT {
            return Err(format!("not so within {LIMIT:?}"));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Finds a program in these folders or in `PATH`.
pub fn find(program: &str, folders: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = folders.iter().map(PathBuf::from);
    let mut all = folders.chain(std::env::split_paths(&path)).map(|folder| folder.join(program));
    all.find(|file| file.is_file())
}

/// Whether the answer to a question at this port contains this word.
pub fn says(port: u16, question: &str, word: &str) -> bool {
    let ask = || {
        let limit = Duration::from_secs(1);
        let to = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut stream = TcpStream::connect_timeout(&to, limit)?;
        stream.set_read_timeout(Some(limit))?;
        stream.write_all(question.as_bytes())?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok::<_, std::io::Error>(String::from_utf8_lossy(&answer).contains(word))
    };
    ask().unwrap_or(false)
}
