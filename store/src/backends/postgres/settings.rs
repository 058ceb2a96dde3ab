//! What a PostgreSQL server must be and be set to.

use leafid_core::Code;

use crate::backends::remote::{Row, refuse_risks};
use crate::problem::Problem;

/// Before this a failed sync of the disk could be taken for a good one: what was answered was lost.
const OLDEST: i64 = 120_000;

pub fn judge(place: &str, row: Option<&Row>, allow_unsafe: bool) -> Result<(), Problem> {
    let word = |at: usize| row.and_then(|row| row.text(at).ok()).unwrap_or("");
    let number = |at: usize| row.and_then(|row| row.int(at).ok()).unwrap_or(0);
    let version = number(0);
    if version < OLDEST {
        let (has, wants) = (version / 10_000, OLDEST / 10_000);
        let detail = format!(
            "{place} is PostgreSQL {has}, and {wants} is the oldest that is used: older ones may \
             take a failed write for a good one; upgrade it"
        );
        return Err(Problem::new(Code::StoreRefused, detail));
    }
    if number(1) != 0 {
        let detail = format!(
            "{place} is a standby, which follows another server and cannot be written; name the \
             primary"
        );
        return Err(Problem::new(Code::StoreRefused, detail));
    }
    if word(5) == "on" {
        let detail = format!(
            "{place} lets this user only read: default_transaction_read_only is on; set it off"
        );
        return Err(Problem::new(Code::StoreRefused, detail));
    }
    let off = |at: usize, name: &str| (word(at) == "off", format!("{name} = off"), "set it to on");
    let names = [off(2, "synchronous_commit"), off(3, "fsync"), off(4, "full_page_writes")];
    refuse_risks(place, names, allow_unsafe)
}
