//! Files for the shell: completions and manual pages.

use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use leafid_store::problem::Problem;

use super::output::say;
use super::{Cli, Failure};

#[derive(Args, Debug)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

#[derive(Args, Debug)]
pub struct Pages {
    /// The folder to write leafid.1 and a page for each verb into; it is made if it is missing
    folder: PathBuf,
}

impl Completions {
    pub fn run(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "leafid", &mut script);
        say(String::from_utf8_lossy(&script).trim_end())
    }
}

impl Pages {
    pub fn run(self) -> Result<(), Failure> {
        let cannot = |error: std::io::Error| {
            let folder = self.folder.display();
            Failure::Problem(Problem::unavailable(format!("cannot write into `{folder}`: {error}")))
        };
        std::fs::create_dir_all(&self.folder).map_err(cannot)?;
        let command = Cli::command().disable_help_subcommand(true).propagate_version(true);
        clap_mangen::generate_to(command, &self.folder).map_err(cannot)?;
        Ok(())
    }
}
