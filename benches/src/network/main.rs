//! What the central store costs and stands on a network: `leafid serve` on one core, whoever asks it
//! on the other.
//!
//! `network PATH-TO-LEAFID`; `cargo xtask bench --only network` runs it with the published binary.

mod crowd;
mod guarded;
mod overload;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use leafid_benches::server::{Asks, Server};
use leafid_benches::{Outcome, cpu, program};

const LENGTH: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    program("network", |words| match words {
        [binary] => run(Path::new(binary), &["guarded", "crowd", "overload"]),
        [binary, part] => run(Path::new(binary), &[part]),
        _ => Err("`network PATH-TO-LEAFID [guarded|crowd|overload]`".to_owned()),
    })
}

fn run(binary: &Path, parts: &[&str]) -> Outcome {
    allow_descriptors();
    println!("{}", machine());
    for part in parts {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        match *part {
            "guarded" => guarded::run(binary, folder.path())?,
            "crowd" => crowd::run(binary, folder.path())?,
            "overload" => overload::run(binary, folder.path())?,
            other => return Err(format!("`{other}` is no part of this bench")),
        }
    }
    Ok(())
}

/// Starts a server on the first core; what runs after this loads the other.
fn start(binary: &Path, folder: &Path, asks: Asks) -> Outcome<Server> {
    cpu::pin(0);
    let server = Server::leafid(binary, folder, asks);
    cpu::pin(1);
    server
}

/// How busy the machine was before anything was measured.
fn machine() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?").to_owned();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cores} cores; load average of the last minute, before: {load}")
}

/// Has this process open as many connections as the largest part of the bench wants.
fn allow_descriptors() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
        let wanted = maximum.map_or(32_768, |most| most.min(32_768));
        // Where it may not, a connection will say so.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}
