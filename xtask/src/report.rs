//! The result of a part: test counts from the runner's report, or a line about what was made.

use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Test counts and a note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed, or that their runner gave up.
    pub failed: u64,
    /// Tests that do not apply here.
    pub skipped: u64,
    /// Tests that lack a program, by the sentence that names it.
    pub not_run: BTreeMap<String, u64>,
    /// The first test that failed.
    pub first: Option<String>,
    /// Shown beside the counts.
    pub note: String,
}

const NOT_RUN: &str = "NOT RUN  ";

impl Report {
    /// Whether nothing failed, and something ran or said why it could not.
    pub fn is_fine(&self) -> bool {
        let told = self.passed > 0 || !self.not_run.is_empty() || !self.note.is_empty();
        self.failed == 0 && told
    }

    /// Whether no test ran for lack of a program.
    pub fn is_missing(&self) -> bool {
        self.passed == 0 && !self.not_run.is_empty()
    }

    /// Counts a skipped test: as not run if the reason names a missing program.
    pub fn skip(&mut self, reason: &str) {
        match reason.find(NOT_RUN) {
            Some(at) => *self.not_run.entry(reason[at..].trim_end().to_owned()).or_default() += 1,
            None => self.skipped += 1,
        }
    }

    /// The number of tests that could not run.
    pub fn missing(&self) -> u64 {
        self.not_run.values().sum()
    }

    /// Counts and note in one line.
    pub fn line(&self) -> String {
        let counts = [
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.skipped, "skipped"),
            (self.missing(), "not run"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let words = counts.map(|(count, word)| format!("{count} {word}"));
        let note = Some(self.note.clone()).filter(|note| !note.is_empty());
        let line = words.chain(note).collect::<Vec<_>>().join(", ");
        if line.is_empty() { "ran no test".to_owned() } else { line }
    }
}

impl From<String> for Report {
    fn from(note: String) -> Self {
        Self { note, ..Self::default() }
    }
}

impl AddAssign<&Report> for Report {
    fn add_assign(&mut self, other: &Report) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        for (sentence, count) in &other.not_run {
            *self.not_run.entry(sentence.clone()).or_default() += count;
        }
        self.first = self.first.take().or_else(|| other.first.clone());
        let between = if self.note.is_empty() || other.note.is_empty() { "" } else { "; " };
        self.note += &format!("{between}{}", other.note);
    }
}

#[cfg(test)]
mod tests {
    use super::Report;

    #[test]
    fn what_is_missing_is_neither_passed_nor_skipped() {
        let mut report = Report::default();
        report.skip("no Windows here");
        report.skip("Skipped: NOT RUN  etcd: no `etcd` (apt-get install etcd-server)");
        assert_eq!((report.skipped, report.missing(), report.is_missing()), (1, 1, true));
        assert!(report.is_fine());
        assert_eq!(report.line(), "1 skipped, 1 not run");
    }

    #[test]
    fn a_part_that_failed_or_ran_no_test_is_red() {
        assert!(!Report::default().is_fine());
        assert_eq!(Report::default().line(), "ran no test");
        let red = Report { passed: 58, failed: 2, ..Report::default() };
        assert!(!red.is_fine());
        let mut sum = Report { passed: 1, note: "seed 1".to_owned(), ..Report::default() };
        sum += &red;
        assert_eq!(sum.line(), "59 passed, 2 failed, seed 1");
    }
}
