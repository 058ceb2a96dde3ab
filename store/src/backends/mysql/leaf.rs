//! Leaf's database: its table `leaf_alloc` keeps the tags, with its columns unchanged, so that a Leaf may run
//! beside us. Our other data is in tables of our own, `leafid_…`.

use leafid_core::Code;

use crate::backends::link::Broken;
use crate::backends::remote::Row;
use crate::problem::Problem;

/// Refuses a database without Leaf's `leaf_alloc`, by the rows of `leaf/columns`.
pub fn judge(place: &str, found: &[Row]) -> Result<(), Broken> {
    let row = Row::only(found)?;
    let (code, why) = match (row.said(0)?, row.said(1)?) {
        (Some(why), _) => (Code::SchemaMismatch, why),
        (None, Some(why)) => (Code::StoreRefused, why),
        (None, None) => return Ok(()),
    };
    Err(Problem::new(code, format!("{place} {why}")).into())
}
