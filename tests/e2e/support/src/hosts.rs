//! The three host programs of `examples/stream`, started from installed packages.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

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

#[derive(Clone, Debug)]
pub struct Draw {
    pub store: String,
    pub tag: String,
    pub namespace: String,
    /// IDs per second, both kinds together.
    pub rate: u32,
    /// How long a call may wait.
    pub timeout: Duration,
}

/// A folder with the programs and links to the installed packages: an `import` from there finds
/// the published packages, and none of the sources.
#[derive(Debug)]
pub struct Stage {
    installed: Installed,
    folder: PathBuf,
}

impl Stage {
    /// Copies the programs below `folder`.
    pub fn make(installed: &Installed, folder: &Path) -> io::Result<Stage> {
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
        Ok(Stage { installed: installed.clone(), folder })
    }

    pub fn command(&self, program: Program, draw: &Draw) -> Command {
        let (interpreter, script) = match program {
            Program::Python => (self.installed.python.as_path(), "python.py"),
            Program::Node => (Path::new("node"), "node.mjs"),
            Program::Edge => (Path::new("node"), "edge.mjs"),
        };
        let mut command = Command::new(interpreter);
        command.arg(script).current_dir(&self.folder);
        command.args(["--store", &draw.store]);
        command.args(["--tag", &draw.tag, "--namespace", &draw.namespace]);
        command.args(["--rate", &draw.rate.to_string()]);
        command.args(["--timeout", &draw.timeout.as_secs_f64().to_string()]);
        for name in ["LEAFID_STORE", "PYTHONPATH", "NODE_OPTIONS", "LD_LIBRARY_PATH"] {
            command.env_remove(name);
        }
        // The temporary files of a killed host are removed with the folder.
        command.env("WRANGLER_SEND_METRICS", "false").env("TMPDIR", &self.folder);
        command
    }
}
