//! Of which version the tables are, and what raises them.

use std::path::Path;

use leafid_core::Code;

use crate::problem::Problem;

/// Says whose file it is: `leaf` as a number.
pub const APPLICATION: i64 = 0x6c65_6166;
/// The version of the tables.
pub const VERSION: i64 = 7;

/// What leads from a version to the next; the first of them begins at [`OLDEST`].
pub const STEPS: [&str; 5] = [
    include_str!("../../../../../sql/sqlite/migrations/3.sql"),
    include_str!("../../../../../sql/sqlite/migrations/4.sql"),
    include_str!("../../../../../sql/sqlite/migrations/5.sql"),
    include_str!("../../../../../sql/sqlite/migrations/6.sql"),
    include_str!("../../../../../sql/sqlite/migrations/7.sql"),
];

/// The oldest version that is raised.
pub const OLDEST: i64 = VERSION - STEPS.len() as i64;

/// Tables of a version that is not this program's.
pub fn other_version(path: &Path, version: i64) -> Problem {
    let path = path.display();
    let way = if (OLDEST..VERSION).contains(&version) {
        format!(
            "stop every server that serves it, then upgrade them: leafid migrate --store \
             sqlite:{path}"
        )
    } else {
        "use the program that wrote it".to_owned()
    };
    let detail =
        format!("`{path}` has tables of version {version}, this program knows {VERSION}; {way}");
    Problem::new(Code::SchemaMismatch, detail)
}
