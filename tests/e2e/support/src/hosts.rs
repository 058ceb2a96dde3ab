//! The three host programs of `examples/stream`, started from installed packages.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::store::{NAMESPACE, TAG};
use crate::stream::Stream;

/// IDs per second of each host, half of them numbers and half snowflakes. It leases ten times a second.
pub const RATE: u32 = 2_000;

/// The installed packages: where Python finds the wheel, and Node the npm packages.
#[derive(Clone, Debug)]
pub struct Installed {
    pub root: PathBuf,
    /// The interpreter of a virtual environment that has the wheel.
    pub python: PathBuf,
    /// A folder with both npm packages in its `node_modules`.
    pub consumer: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Python,
    Node,
    /// A Worker in workerd, driven by Miniflare.
    Edge,
}

impl Program {
    pub const ALL: [Program; 3] = [Program::Python, Program::Node, Program::Edge];

    pub fn name(self) -> &'static str {
        match self {
            Program::Python => "python",
            Program::Node => "node",
            Program::Edge => "edge",
        }
    }
}

/// A folder with the programs and links to the installed packages: an `import` from there finds
/// the published packages, and none of the sources.
#[derive(Debug)]
pub struct Stage {
    installed: Installed,
    folder: PathBuf,
    timeout: Duration,
}

impl Stage {
    /// Copies the programs below `folder`; their calls wait for so long.
    pub fn make(installed: &Installed, folder: &Path, timeout: Duration) -> io::Result<Stage> {
        let folder = folder.join("programs");
        let modules = folder.join("node_modules");
        fs::create_dir_all(&modules)?;
        for entry in fs::read_dir(installed.root.join("examples/stream"))? {
            let file = entry?.path();
            if file.is_file() {
                fs::copy(&file, folder.join(file.file_name().unwrap_or_default()))?;
            }
        }
        for entry in fs::read_dir(installed.consumer.join("node_modules"))? {
            let package = entry?.path();
            if package.file_name().is_some_and(|name| name.to_string_lossy().starts_with("leafid"))
            {
                symlink(&package, modules.join(package.file_name().unwrap_or_default()))?;
            }
        }
        symlink(installed.root.join("node_modules/miniflare"), modules.join("miniflare"))?;
        Ok(Stage { installed: installed.clone(), folder, timeout })
    }

    /// Starts a host that draws from the store at this address; gives its index.
    pub fn start(
        &self,
        stream: &mut Stream,
        program: Program,
        store: &str,
    ) -> Result<usize, String> {
        let name = program.name();
        let started = stream.start(name, self.command(program, store));
        started.map_err(|error| format!("{name} does not start: {error}"))
    }

    fn command(&self, program: Program, store: &str) -> Command {
        let (interpreter, script) = match program {
            Program::Python => (self.installed.python.as_path(), "python.py"),
            Program::Node => (Path::new("node"), "node.mjs"),
            Program::Edge => (Path::new("node"), "edge.mjs"),
        };
        let mut command = Command::new(interpreter);
        command.arg(script).current_dir(&self.folder);
        command.args(["--store", store, "--tag", TAG, "--namespace", NAMESPACE]);
        command.args(["--rate", &RATE.to_string()]);
        command.args(["--timeout", &self.timeout.as_secs_f64().to_string()]);
        for name in ["LEAFID_STORE", "PYTHONPATH", "NODE_OPTIONS", "LD_LIBRARY_PATH"] {
            command.env_remove(name);
        }
        // The temporary files of a killed host are removed with the folder.
        command.env("WRANGLER_SEND_METRICS", "false").env("TMPDIR", &self.folder);
        command
    }
}
