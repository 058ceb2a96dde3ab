//! Files for the shell: completions and manual pages.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;
use leafid_store::problem::Problem;

use super::output::say;
use super::{Failure, command};

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
    /// Prints the script.
    pub fn run(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command(), "leafid", &mut script);
        say(String::from_utf8_lossy(&script).trim_end())
    }
}

impl Pages {
    /// Writes them.
    pub fn run(self) -> Result<(), Failure> {
        let cannot = |error: std::io::Error| {
            let folder = self.folder.display();
            Failure::Problem(Problem::unavailable(format!("cannot write into `{folder}`: {error}")))
        };
        std::fs::create_dir_all(&self.folder).map_err(cannot)?;
        clap_mangen::generate_to(
            command().disable_help_subcommand(true).propagate_version(true),
            &self.folder,
        )
        .map_err(cannot)?;
        for entry in std::fs::read_dir(&self.folder).map_err(cannot)? {
            let page = entry.map_err(cannot)?.path();
            if page.extension().is_some_and(|section| section == "1") {
                let text = std::fs::read_to_string(&page).map_err(cannot)?;
                std::fs::write(&page, finished(&text)).map_err(cannot)?;
            }
        }
        Ok(())
    }
}

/// A page with whose it is at its foot, and with its examples as they are: lines that are set in are
/// not to be filled.
fn finished(page: &str) -> String {
    let (mut text, mut is_example) = (String::new(), false);
    for line in page.lines() {
        let line = match line.strip_prefix(".TH ").and_then(|rest| rest.split(' ').next()) {
            Some(name) => {
                format!(".TH {name} 1 \"\" \"leafid {}\" \"leafid\"", env!("CARGO_PKG_VERSION"))
            }
            None => line.replace(".SH EXTRA", ".SH NOTES"),
        };
        let sets_in = line.starts_with("  ");
        if sets_in != is_example && !(is_example && line.is_empty()) {
            text.push_str(if sets_in { ".nf\n" } else { ".fi\n" });
            is_example = sets_in;
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}
