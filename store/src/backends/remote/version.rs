//! Of which version the tables are.

use leafid_core::Code;

use crate::problem::Problem;

/// The version of the tables.
pub const VERSION: i64 = 4;

/// Tables of a version that is not this program's.
pub fn other_version(place: &str, version: i64) -> Problem {
    let way = if version < VERSION {
        format!(
            "stop every server, and every process that opens the database itself, then upgrade them: \
             leafid migrate --store {place}"
        )
    } else {
        "use the program that wrote it".to_owned()
    };
    let detail =
        format!("{place} has tables of version {version}, this program knows {VERSION}; {way}");
    Problem::new(Code::SchemaMismatch, detail)
}
