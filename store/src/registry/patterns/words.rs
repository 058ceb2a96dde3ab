//! What is said of patterns, and of tags that they do not make.

use leafid_core::registry::{STEP_CAP, TagSpec};
use leafid_core::{Code, LINE_END, Name, Refusal};

use crate::problem::{Figure, Problem};
use crate::store::pattern::{PATTERNS, Pattern, PatternRow};

/// A tag without a row, whose pattern was said before the last fence.
pub fn suspended(tag: &Name, pattern: &Pattern, row: &PatternRow) -> Problem {
    let detail = format!(
        "tag `{tag}` does not exist, and pattern `{pattern}` makes none: the store has lost grants and was \
         fenced since the pattern was applied, so the tag may be one of those that were lost; apply the \
         pattern again with a `from` above every number in use (it was {}), or: leafid tag create {tag} \
         --from N",
        row.from
    );
    Problem::new(Code::TagUnknown, detail)
}

/// A tag without a row, whose pattern has made as many as it may.
pub fn full(tag: &Name, pattern: &Pattern, row: &PatternRow) -> Problem {
    let (made, most) = (row.made, row.most);
    let detail = format!(
        "tag `{tag}` does not exist, and pattern `{pattern}` has made {made} tags, of {most} that it may; \
         find out who asks for so many, then raise its `most`: leafid apply FILE"
    );
    Problem::new(Code::QuotaExceeded, detail)
        .with("made", Figure::Number(made.into()))
        .with("most", Figure::Number(most.into()))
}

/// A pattern that is not there.
pub fn unknown(pattern: &Pattern) -> Problem {
    let detail =
        format!("pattern `{pattern}` does not exist; apply a file that has it: leafid apply FILE");
    Problem::new(Code::TagUnknown, detail)
}

/// A pattern that is there and was to be created.
pub fn exists(pattern: &Pattern) -> Problem {
    let detail = format!("pattern `{pattern}` exists already; change it, or use another name");
    Problem::new(Code::TagExists, detail)
}

/// A pattern in a store that was fenced, without a first number.
pub fn needs_from(pattern: &Pattern, row: Option<&PatternRow>) -> Problem {
    let was = row.map_or_else(String::new, |row| format!(" (it was {})", row.from));
    let detail = format!(
        "pattern `{pattern}` needs `from`: this store has lost grants, or replaces a lost one, and a tag that \
         the pattern would make may be one of those that were lost; name a first number above every one \
         in use{was}"
    );
    Problem::new(Code::RequestInvalid, detail)
}

/// A first number that is lower than it was, or as low where it has to be higher.
pub fn goes_down(pattern: &Pattern, row: &PatternRow, from: u64, suspended: bool) -> Problem {
    let begins = row.from;
    let why = if suspended {
        format!(
            "the store has lost grants and was fenced since it began at {begins}; name a first number \
             above every one in use"
        )
    } else {
        format!(
            "it begins at {begins}, and never goes down; name {begins} or more, or leave `from` out"
        )
    };
    let detail = format!("pattern `{pattern}` cannot begin at {from}: {why}");
    Problem::new(Code::RangeInvalid, detail).with("from", Figure::Big(begins))
}

/// A pattern whose tags could not be created.
pub fn cannot_be(refusal: Refusal, pattern: &Pattern, said: &TagSpec, from: u64) -> Problem {
    let words = |value: Option<u32>| value.map_or_else(|| "none".to_owned(), |n| n.to_string());
    let detail = match refusal.code {
        Code::StepInvalid => format!(
            "pattern `{pattern}` needs 1 <= step <= max_step <= {STEP_CAP}, got step {} and max_step {}",
            words(said.step),
            words(said.max_step)
        ),
        Code::RangeInvalid => format!(
            "pattern `{pattern}` needs 1 <= from <= until <= {LINE_END}, got from {from} and until {}",
            said.until.map_or_else(|| "none".to_owned(), |until| until.to_string())
        ),
        _ => return refusal.into(),
    };
    Problem::new(refusal.code, detail)
}

/// A pattern that may make no tag.
pub fn makes_none(pattern: &Pattern) -> Problem {
    let detail = format!(
        "`most` of pattern `{pattern}` must be 1 or more, got `0`; to remove it: leafid tag delete '{pattern}'"
    );
    Problem::new(Code::RequestInvalid, detail)
}

/// One pattern more than a store has.
pub fn too_many() -> Problem {
    let detail = format!(
        "a store has {PATTERNS} patterns at most, removed ones included; one that is shorter fits more tags"
    );
    Problem::new(Code::RequestInvalid, detail)
}

/// Tags lie in another program's table.
pub fn not_in_another() -> Problem {
    let detail = "tags of this store lie in another program's table, from which it may delete rows: a tag \
                  that is missing there may have been further, so none is made on first use; create each: \
                  leafid tag create TAG";
    Problem::new(Code::NotEnabled, detail)
}
