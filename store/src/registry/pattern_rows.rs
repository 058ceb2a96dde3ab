//! The patterns in a turn: the row as it was read, and as the requests before have left it.

use std::collections::BTreeSet;

use leafid_core::Name;

use crate::backends::{Fenced, Seen, Write};
use crate::problem::Problem;
use crate::store::pattern::{Pattern, PatternRow, Patterns};

/// The patterns in a turn, with what the store says of its last fence: both are one row, so no tag is
/// made while the store is fenced.
#[derive(Debug)]
pub struct PatternRows {
    before: Seen<Fenced>,
    /// As the requests of this turn have left them.
    pub now: Patterns,
    touched: bool,
    /// The tags that were made in this turn.
    pub made: BTreeSet<Name>,
}

impl PatternRows {
    /// As they were read.
    ///
    /// # Errors
    /// `SCHEMA_MISMATCH`.
    pub fn read(before: Seen<Fenced>) -> Result<PatternRows, Problem> {
        let now = Patterns::parse(&before.row.patterns)?;
        Ok(PatternRows { before, now, touched: false, made: BTreeSet::new() })
    }

    /// How often the store was fenced.
    pub fn generation(&self) -> u64 {
        self.before.row.generation
    }

    /// Creates or changes a pattern; `false` where there is no room for it.
    pub fn put(&mut self, pattern: Pattern, row: PatternRow) -> bool {
        self.touched = true;
        self.now.put(pattern, row)
    }

    /// What is to be written, if something is.
    pub fn write(&self) -> Option<Write> {
        let patterns = self.now.text();
        let after = Box::new(Fenced { patterns, ..self.before.row.clone() });
        let before = Box::new(self.before.clone());
        (self.touched && after.patterns != before.row.patterns)
            .then_some(Write::Fence { before, after })
    }
}
