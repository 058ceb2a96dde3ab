//! Tags by pattern: an operator says once how tags are made whose names begin so, and the first lease
//! of each makes it.

use leafid_core::registry::{TagRow, TagSpec};
use leafid_core::{Code, FieldReader, FieldWriter, Fields, NAME_BYTES, Name, Refusal};
use serde_json::{Map, Value};

use super::Store;
use crate::json::{Reader, Writer};
use crate::problem::Problem;

/// How many tags a pattern makes unless it says.
pub const USUAL_MOST: u32 = 10_000;
/// A store has at most this many patterns, removed ones included.
pub const PATTERNS: usize = 40;

/// The beginning of names, written with a star behind it: `tenant:*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern(Name);

impl Pattern {
    /// Reads one. A star alone is none: a misspelt name would be another tag.
    pub fn parse(text: &str) -> Option<Pattern> {
        let begins = Name::tag(text.strip_suffix('*')?).ok()?;
        // Behind it there is room for a character at least.
        (begins.as_str().len() < NAME_BYTES).then_some(Pattern(begins))
    }

    /// What the names begin with.
    pub fn begins(&self) -> &str {
        self.0.as_str()
    }

    /// Whether a tag of this name is one of its.
    pub fn fits(&self, tag: &Name) -> bool {
        tag.as_str().strip_prefix(self.begins()).is_some_and(|rest| !rest.is_empty())
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}*", self.begins())
    }
}

/// What a store says of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternRow {
    /// The first number of each of its tags.
    pub from: u64,
    /// How many numbers a lease takes unless it says.
    pub step: u32,
    /// How many a lease takes at most.
    pub max_step: u32,
    /// The upper end of each of its tags.
    pub until: Option<u64>,
    /// How many tags it makes at most.
    pub most: u32,
    /// How many it has made.
    pub made: u32,
    /// How often the store was fenced when `from` was said last. After another fence it makes no tag:
    /// one that is missing may have been lost.
    pub generation: u64,
    /// It was removed, and makes no tag. What it was stays, so that `from` never goes down.
    pub deleted: bool,
}

impl PatternRow {
    /// What a tag is that it makes.
    pub fn spec(&self) -> TagSpec {
        TagSpec {
            from: Some(self.from),
            step: Some(self.step),
            max_step: Some(self.max_step),
            until: self.until,
        }
    }

    /// A tag of which a journal knows that it was granted up to `noted`, and that the store has lost:
    /// it goes on above that, as every tag behind a fence does.
    pub fn lost(&self, noted: u64, usual: &TagRow) -> TagRow {
        // It may have been made otherwise than by the pattern, so the gap is the larger of both.
        let max_step = self.max_step.max(usual.max_step);
        let max_id = TagRow { max_id: self.from, max_step, ..*usual }.fenced(noted).max_id;
        let PatternRow { step, max_step, until, .. } = *self;
        TagRow { max_id, step, max_step, deleted: false, until, claimed_until: None }
    }

    /// Writes what an operator said of it, and how many tags it has made.
    pub fn put(&self, to: &mut impl FieldWriter) {
        to.big("from", self.from);
        to.number("step", self.step.into());
        to.number("max_step", self.max_step.into());
        if let Some(until) = self.until {
            to.big("until", until);
        }
        to.number("most", self.most.into());
        to.number("made", self.made.into());
    }
}

/// How a pattern is created or changed; what is not said stays, or is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatternChange {
    /// How each of its tags is made.
    pub spec: TagSpec,
    /// How many tags it makes at most.
    pub most: Option<u32>,
    /// Refuse (`TAG_EXISTS`) if it is there.
    pub only_create: bool,
    /// Refuse (`TAG_UNKNOWN`) if it is not.
    pub only_change: bool,
}

impl PatternChange {
    /// Reads it from the body of a request.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    pub fn get(from: &mut impl FieldReader) -> Result<PatternChange, Refusal> {
        let spec = TagSpec::get(from)?;
        Ok(PatternChange { spec, most: from.small("most")?, ..PatternChange::default() })
    }
}

/// The patterns of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns(Vec<(Pattern, PatternRow)>);

impl Patterns {
    /// Reads them from the store's text.
    ///
    /// # Errors
    /// `SCHEMA_MISMATCH` for what no program of ours wrote.
    pub fn parse(text: &str) -> Result<Patterns, Problem> {
        if text.is_empty() {
            return Ok(Patterns::default());
        }
        let nonsense = |why: String| {
            let detail = format!(
                "what the store says of its patterns cannot be read: {why}; empty it, and apply them \
                 with a `from` above all that their tags were granted"
            );
            Problem::new(Code::SchemaMismatch, detail)
        };
        let rows: Vec<Map<String, Value>> =
            serde_json::from_str(text).map_err(|error| nonsense(error.to_string()))?;
        let mut patterns = Vec::new();
        for row in rows {
            let row = Reader::new(row).all(get).map_err(|invalid| nonsense(invalid.detail))?;
            patterns.push(row);
        }
        Ok(Patterns(patterns))
    }

    /// Writes them as the store's text.
    pub fn text(&self) -> String {
        let rows = self.0.iter().map(|(pattern, row)| {
            let mut to = Writer::default();
            to.text("pattern", &pattern.to_string());
            row.put(&mut to);
            to.big("generation", row.generation);
            to.flag("deleted", row.deleted);
            to.end()
        });
        let rows: Vec<String> = rows.collect();
        if rows.is_empty() { String::new() } else { format!("[{}]", rows.join(",")) }
    }

    /// The one that a tag is made by: of those that fit, the longest.
    pub fn of(&self, tag: &Name) -> Option<(Pattern, PatternRow)> {
        let fitting = self.live().filter(|(pattern, _)| pattern.fits(tag));
        fitting.max_by_key(|(pattern, _)| pattern.begins().len())
    }

    /// Those that are not removed.
    pub fn live(&self) -> impl Iterator<Item = (Pattern, PatternRow)> {
        self.0.iter().copied().filter(|(_, row)| !row.deleted)
    }

    /// A pattern, removed or not.
    pub fn get(&self, pattern: &Pattern) -> Option<PatternRow> {
        self.0.iter().find(|(other, _)| other == pattern).map(|(_, row)| *row)
    }

    /// Writes a pattern; they stand by name. False where there are too many.
    #[must_use]
    pub fn put(&mut self, pattern: Pattern, row: PatternRow) -> bool {
        match self.0.binary_search_by_key(&pattern, |(other, _)| *other) {
            Ok(at) => self.0[at].1 = row,
            Err(_) if self.0.len() >= PATTERNS => return false,
            Err(at) => self.0.insert(at, (pattern, row)),
        }
        true
    }
}

fn get(from: &mut Reader) -> Result<(Pattern, PatternRow), Refusal> {
    let need = || Refusal::new(Code::RequestInvalid);
    let pattern = from.text("pattern", Pattern::parse)?.flatten().ok_or_else(need)?;
    let row = PatternRow {
        from: from.big("from")?.ok_or_else(need)?,
        step: from.small("step")?.ok_or_else(need)?,
        max_step: from.small("max_step")?.ok_or_else(need)?,
        until: from.big("until")?,
        most: from.small("most")?.ok_or_else(need)?,
        made: from.small("made")?.ok_or_else(need)?,
        generation: from.big("generation")?.ok_or_else(need)?,
        deleted: from.flag("deleted")?.ok_or_else(need)?,
    };
    Ok((pattern, row))
}

/// The own step of a tag, or of the pattern by which its first lease makes it.
///
/// # Errors
/// `TAG_UNKNOWN` where neither is there, and those of [`Store::tag`].
pub async fn own_step(store: &dyn Store, tag: Name) -> Result<u32, Problem> {
    match store.tag(tag).await {
        Err(problem) if problem.code == Code::TagUnknown => {
            let (patterns, _) = store.patterns().await?;
            patterns.of(&tag).map(|(_, row)| row.step).ok_or(problem)
        }
        found => found.map(|row| row.step),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(from: u64) -> PatternRow {
        PatternRow {
            from,
            step: 10,
            max_step: 50,
            until: Some(1 << 31),
            most: 3,
            made: 2,
            generation: 7,
            deleted: false,
        }
    }

    fn pattern(text: &str) -> Pattern {
        Pattern::parse(text).expect("a pattern")
    }

    #[test]
    fn a_pattern_is_the_beginning_of_names() {
        let tag = |text| Name::tag(text).expect("a name");
        assert!(pattern("tenant:*").fits(&tag("tenant:7")));
        for other in ["tenant:", "tenant", "tenan", "other:7"] {
            assert!(!pattern("tenant:*").fits(&tag(other)), "{other}");
        }
        let long = "x".repeat(NAME_BYTES);
        for wrong in ["", "*", "tenant:", "a*b*", "**", ":a*", "a b*", "ä*", &format!("{long}*")] {
            assert_eq!(Pattern::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_longest_makes_a_tag_and_one_that_was_removed_makes_none() {
        let mut patterns = Patterns::default();
        for (text, from) in [("t:*", 1), ("t:eu:*", 2), ("t:eu:x*", 3)] {
            let deleted = from == 3;
            assert!(patterns.put(pattern(text), PatternRow { deleted, ..row(from) }));
        }
        let from = |tag| {
            let found = patterns.of(&Name::tag(tag).expect("a name"));
            found.map(|(_, row)| row.from)
        };
        assert_eq!((from("t:1"), from("t:eu:1"), from("t:eu:x1")), (Some(1), Some(2), Some(2)));
        assert_eq!((from("u:1"), from("t:")), (None, None));
        assert_eq!(patterns.live().count(), 2);
    }

    #[test]
    fn what_is_written_reads_back_fits_its_column_and_nonsense_is_named() {
        let mut patterns = Patterns::default();
        assert_eq!(Patterns::parse(&patterns.text()).expect("none"), patterns);
        let widest = PatternRow {
            from: u64::MAX >> 1,
            step: u32::MAX,
            max_step: u32::MAX,
            until: Some(u64::MAX >> 1),
            most: u32::MAX,
            made: u32::MAX,
            generation: u64::MAX >> 1,
            deleted: false,
        };
        for n in 0..PATTERNS {
            let name = format!("{}{n:04}*", "x".repeat(NAME_BYTES - 5));
            assert!(patterns.put(pattern(&name), widest));
        }
        assert!(!patterns.put(pattern("one-more:*"), widest));
        assert_eq!(Patterns::parse(&patterns.text()).expect("as written"), patterns);
        let length = patterns.text().len();
        assert!(length <= 16_000, "the column of MySQL has 16000: {length}");
        for text in ["7", "[7]", "[{}]", r#"[{"pattern":"x"}]"#, "["] {
            let problem = Patterns::parse(text).expect_err(text);
            assert_eq!(problem.code, Code::SchemaMismatch, "{text}");
        }
    }

    #[test]
    fn a_tag_that_was_lost_goes_on_above_what_is_known_of_it() {
        let usual = TagRow::create(None, &TagSpec::default()).unwrap();
        let usual = TagRow { deleted: true, ..usual };
        let lost = row(500).lost(7_000, &usual);
        assert_eq!((lost.max_id, lost.deleted, lost.step), (100_007_000, false, 10));
        assert_eq!(row(500_000).lost(7_000, &usual).max_id, 100_500_000);
    }
}
