//! Which parts `cargo xtask test` found fine on this very tree: `test --all` goes on from there.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::process::Run;
use crate::{Outcome, files, project};

/// A run's parts, kept below the target folder together with the tree that they ran on.
#[derive(Default)]
pub struct Passed {
    before: BTreeSet<String>,
    record: Option<Mutex<String>>,
}

impl Passed {
    /// For `--all`, what the run before it found on this tree, which is then forgotten: a second `--all`
    /// runs everything. Else nothing, and a new record.
    ///
    /// # Errors
    /// git cannot tell the tree; the record cannot be written.
    pub fn of_this_tree(all: bool) -> Outcome<Passed> {
        let tree = tree()?;
        let before = files::read(&place()).unwrap_or_default();
        files::remove(&place())?;
        if !all {
            return Ok(Passed { before: BTreeSet::new(), record: Some(Mutex::new(tree)) });
        }
        let before = before.strip_prefix(&tree).unwrap_or_default();
        Ok(Passed { before: before.lines().map(str::to_owned).collect(), record: None })
    }

    /// Whether it passed before.
    pub fn has(&self, name: &str) -> bool {
        self.before.contains(name)
    }

    /// It passed now.
    pub fn note(&self, name: &str) {
        let Some(record) = &self.record else { return };
        let mut record = record.lock().unwrap_or_else(PoisonError::into_inner);
        record.push_str(&format!("{name}\n"));
        // Without the record the next run repeats what passed.
        let _ = files::write(&place(), record.as_str());
    }
}

fn place() -> PathBuf {
    project::target().join("log/test/passed")
}

/// Git's hash of the working tree, uncommitted changes included; ends with a newline.
fn tree() -> Outcome<String> {
    let index = project::target().join("log/test/index");
    files::make_dir(&project::target().join("log/test"))?;
    files::remove(&index)?;
    let git = |words: &[&str]| Run::new("git").quiet().args(words).env("GIT_INDEX_FILE", &index);
    git(&["add", "--all"]).output()?;
    git(&["write-tree"]).output()
}
