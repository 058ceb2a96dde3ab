//! `leafid lease …`: a range of numbers for use outside of a generator.

use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use leafid_core::{Code, Name, Range, Token};
use leafid_store::json::Writer;
use leafid_store::problem::Problem;
use leafid_store::random;
use leafid_wire::{FieldWriter, path};
use serde_json::json;

use super::args::step;
use super::client::Target;
use super::output::{is_json, show};
use super::{Failure, invalid, say};
use crate::routes::input::tag;

#[derive(Args, Debug)]
pub struct Lease {
    /// The tag to lease numbers of
    tag: String,
    /// How many: one range of that many, or an error and none; at most the tag's max_step
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true, value_parser = step())]
    count: u32,
    /// Prints SQL instead of the first number, and one more than the last: for the column `id` of the
    /// table with the tag's name, as TABLE or SCHEMA.TABLE
    #[arg(long = "as", value_name = "DATABASE")]
    dialect: Option<Dialect>,
    #[command(flatten)]
    target: Target,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Dialect {
    /// SQL for PostgreSQL: a column default that gives these numbers and no other
    Postgres,
    /// SQL for MySQL or MariaDB: AUTO_INCREMENT begins here, and a trigger refuses what lies outside
    Mysql,
}

impl Lease {
    pub fn run(self) -> Result<(), Failure> {
        let (tag, count) = (tag(&self.tag)?, self.count);
        if is_json() && self.dialect.is_some() {
            let wrong = "`--json` and `--as` ask for different forms: leave one out\n";
            return Err(clap::Error::raw(ErrorKind::ArgumentConflict, wrong).into());
        }
        // A name that the dialect cannot take is refused before anything is leased.
        let named = self.dialect.map(|dialect| dialect.names(&tag)).transpose()?;
        let mut body = Writer::default();
        body.token("request", Token::new(random::bytes()?));
        body.number("exactly", count.into());
        let grant = self.target.connect()?.call("POST", &path::lease(tag), body.end())?;
        let big = |field: &str| grant[field].as_str().and_then(|text| text.parse::<u64>().ok());
        let range = match (big("start"), big("end")) {
            (Some(start), Some(end)) if end.checked_sub(start) == Some(count.into()) => {
                Range::new(start, end)
            }
            _ => {
                let detail = format!("{count} numbers were wanted, and the answer is `{grant}`");
                return Err(Problem::new(Code::GrantInvalid, detail).into());
            }
        };
        if let Some((sql, table, made)) = named {
            return say(sql(&tag, &table, &made, range));
        }
        let [start, end] = [range.start, range.end].map(|bound| bound.to_string());
        let value = json!({ "tag": tag.as_str(), "start": start, "end": end, "count": count });
        show(&value, format_args!("{start} {end}"))
    }
}

/// Writes the SQL for a range of a tag; the names of the table and of the sequence or trigger come quoted.
type Sql = fn(&Name, table: &str, made: &str, Range) -> String;

impl Dialect {
    /// The writer of the SQL, and the names of the tag's table and of the sequence or trigger made for it.
    fn names(self, tag: &Name) -> Result<(Sql, String, String), Problem> {
        // No character of a tag needs escaping.
        let (sql, quote, longest): (Sql, _, _) = match self {
            Dialect::Postgres => (postgres, '"', 63),
            Dialect::Mysql => (mysql, '`', 64),
        };
        let (schema, table) = match tag.as_str().split_once('.') {
            Some((schema, table)) => (format!("{quote}{schema}{quote}."), table),
            None => (String::new(), tag.as_str()),
        };
        if table.is_empty() || table.contains('.') || format!("{table}_id_leafid").len() > longest {
            let detail = format!(
                "the SQL is for the table that the tag is named after, and `{tag}` is neither TABLE nor \
                 SCHEMA.TABLE, or too long for `{table}_id_leafid`, which has at most {longest} bytes: \
                 leave --as out, and write the SQL for the range by hand"
            );
            return Err(invalid(detail));
        }
        let of = |name: &str| format!("{schema}{quote}{name}{quote}");
        Ok((sql, of(table), of(&format!("{table}_id_leafid"))))
    }
}

/// A sequence that gives these numbers, then an error.
fn postgres(tag: &Name, table: &str, made: &str, range: Range) -> String {
    let (first, last, count) = (range.start, range.end.saturating_sub(1), range.len());
    format!(
        "\
-- tag `{tag}`: {count} numbers, {first} to {last}, leased once; run this once, in one database.
-- After the last one nextval fails (\"reached maximum value of sequence\"): lease again, and run what
-- is printed then; what is left of these numbers is given up.
BEGIN;
CREATE SEQUENCE IF NOT EXISTS {made};
ALTER SEQUENCE {made} AS bigint INCREMENT BY 1 MINVALUE {first} MAXVALUE {last}
    START WITH {first} RESTART WITH {first} NO CYCLE;
ALTER TABLE {table} ALTER COLUMN id SET DEFAULT nextval('{made}');
COMMIT;"
    )
}

/// The counter begins at these numbers. It has no upper end, and goes on above the largest number in the
/// table if that is higher; so a trigger refuses numbers outside. A CHECK must not name an AUTO_INCREMENT
/// column.
fn mysql(tag: &Name, table: &str, made: &str, range: Range) -> String {
    let (first, last, count) = (range.start, range.end.saturating_sub(1), range.len());
    format!(
        "\
-- tag `{tag}`: {count} numbers, {first} to {last}, leased once; run this once, on one server.
-- AUTO_INCREMENT has no upper end, so a trigger refuses every new row outside these numbers, one
-- that brings its own number included: drop it while you restore or copy rows. Where the table has
-- a number at or above {first} already, the counter goes on above that one.
-- After the last number inserts fail: lease again, and run what is printed then.
ALTER TABLE {table} AUTO_INCREMENT = {first};
DROP TRIGGER IF EXISTS {made};
DELIMITER //
CREATE TRIGGER {made} AFTER INSERT ON {table} FOR EACH ROW
    IF NEW.id NOT BETWEEN {first} AND {last} THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the number lies outside those leased from leafid';
    END IF//
DELIMITER ;"
    )
}
