//! Records which parts of `cargo xtask test` passed on this tree: `test --all` skips them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::process::Run;
use crate::{Outcome, files, project};

/// The passed parts, stored below the target folder with their tree's hash.
#[derive(Default)]
pub struct Passed {
    before: BTreeSet<String>,
    record: Option<Mutex<String>>,
}

impl Passed {
    /// For `--all`, the passed parts of the last run on this tree, whose record is then deleted, so that a
    /// second `--all` runs everything. Else none, and a new record.
    ///
    /// # Errors
    /// git cannot hash the tree, or the record cannot be written.
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

    pub fn has(&self, name: &str) -> bool {
        self.before.contains(name)
    }

    /// Records a passed part.
    pub fn note(&self, name: &str) {
        let Some(record) = &self.record else { return };
        let mut record = record.lock().unwrap_or_else(PoisonError::into_inner);
        record.push_str(&format!("{name}\n"));
        // Without the record the next run only repeats what passed.
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
