//! SQL that makes a leased range the source of a column's numbers.

use leafid_core::{Code, Range};
use leafid_store::json::shown;
use leafid_store::problem::Problem;

/// How names are written.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    name: &'static str,
    quote: char,
    /// The longest name, in bytes.
    longest: usize,
}

/// PostgreSQL cuts longer names off, without an error.
pub const POSTGRES: Dialect = Dialect { name: "PostgreSQL", quote: '"', longest: 63 };
/// MySQL and MariaDB.
pub const MYSQL: Dialect = Dialect { name: "MySQL", quote: '`', longest: 64 };

/// A column, and what is made for it; all names are quoted.
#[derive(Debug)]
pub struct Place {
    table: String,
    column: String,
    /// The sequence or trigger, in the schema of the table.
    made: String,
}

impl Place {
    /// The column of a table, which may be named with its schema.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a name that the database cannot have.
    pub fn new(dialect: Dialect, table: &str, column: &str) -> Result<Place, Problem> {
        let (schema, table) = match table.split_once('.') {
            Some((schema, table)) => (Some(schema), table),
            None => (None, table),
        };
        let made = format!("{table}_{column}_leafid");
        for name in schema.into_iter().chain([table, column]) {
            let strange =
                name.is_empty() || name.contains('.') || name.chars().any(char::is_control);
            if strange || name.len() > dialect.longest {
                let detail = format!(
                    "`{}` is not a valid name for a table or a column of {}: use 1 to {} bytes, for the \
                     table TABLE or SCHEMA.TABLE; name them with --table and --column",
                    shown(name),
                    dialect.name,
                    dialect.longest
                );
                return Err(Problem::new(Code::RequestInvalid, detail));
            }
        }
        if made.len() > dialect.longest {
            let detail = format!(
                "`{}` would be made for the column, and a name of {} has at most {} bytes; name a \
                 shorter table or column: --table, --column",
                shown(&made),
                dialect.name,
                dialect.longest
            );
            return Err(Problem::new(Code::RequestInvalid, detail));
        }
        let quote = |name: &str| {
            let mark = dialect.quote;
            format!("{mark}{}{mark}", name.replace(mark, &format!("{mark}{mark}")))
        };
        let within = |name: &str| match schema {
            Some(schema) => format!("{}.{}", quote(schema), quote(name)),
            None => quote(name),
        };
        Ok(Place { table: within(table), column: quote(column), made: within(&made) })
    }

    /// For PostgreSQL: a sequence that gives these numbers, and then an error.
    pub fn postgres(&self, tag: &str, range: Range) -> String {
        let Place { table, column, made } = self;
        let (first, last, count) = (range.start, range.end.saturating_sub(1), range.len());
        let literal = made.replace('\'', "''");
        format!(
            "\
-- tag `{tag}`: {count} numbers, {first} to {last}, leased once; run this once, in one database.
-- After the last one nextval fails (\"reached maximum value of sequence\"): lease again, and run what
-- is printed then; what is left of these numbers is given up.
BEGIN;
CREATE SEQUENCE IF NOT EXISTS {made};
ALTER SEQUENCE {made} AS bigint INCREMENT BY 1 MINVALUE {first} MAXVALUE {last}
    START WITH {first} RESTART WITH {first} NO CYCLE;
ALTER TABLE {table} ALTER COLUMN {column} SET DEFAULT nextval('{literal}');
COMMIT;"
        )
    }

    /// For MySQL: the counter begins at these numbers. It has no upper end, and goes on above the
    /// largest number in the table where that is higher; so a trigger refuses what lies outside. A
    /// CHECK cannot: it may not name such a column.
    pub fn mysql(&self, tag: &str, range: Range) -> String {
        let Place { table, column, made } = self;
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
    IF NEW.{column} NOT BETWEEN {first} AND {last} THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the number lies outside those leased from leafid';
    END IF//
DELIMITER ;"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_those_that_cannot_be_are_refused() {
        let place = Place::new(POSTGRES, "app.or\"ders", "i'd").unwrap();
        assert_eq!(place.table, "\"app\".\"or\"\"ders\"");
        let sql = place.postgres("orders", Range::new(5, 15));
        assert!(sql.contains("nextval('\"app\".\"or\"\"ders_i''d_leafid\"')"), "{sql}");
        assert!(sql.contains("MINVALUE 5 MAXVALUE 14"), "{sql}");
        let place = Place::new(MYSQL, "or`ders", "id").unwrap();
        let sql = place.mysql("orders", Range::new(5, 15));
        assert!(sql.contains("ALTER TABLE `or``ders` AUTO_INCREMENT = 5;"), "{sql}");
        assert!(sql.contains("NEW.`id` NOT BETWEEN 5 AND 14"), "{sql}");
        let long = "t".repeat(54);
        for (table, column) in
            [("", "id"), ("a.b.c", "id"), (".t", "id"), ("t", ""), ("t\n", "id"), (&long, "id")]
        {
            let refused = Place::new(POSTGRES, table, column).unwrap_err();
            assert_eq!(refused.code, Code::RequestInvalid, "`{table}` `{column}`");
        }
        assert!(Place::new(POSTGRES, &long[1..], "id").is_ok());
    }
}
