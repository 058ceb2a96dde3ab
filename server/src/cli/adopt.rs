//! `--from-max`: begins a tag above the largest number in an application's table.

use clap::Args;
use leafid_core::{Code, LINE_END};
use leafid_store::opening::Place;
use leafid_store::problem::Problem;

use super::client::is_server;
use super::invalid;
use super::named::{VARIABLE, masked, variable};
use super::store::place;

#[derive(Args, Debug)]
pub struct FromMax {
    /// The first number is one above what this query gives, as in `SELECT max(id) FROM orders`
    #[arg(long, value_name = "SQL")]
    from_max: Option<String>,
    /// The database that --from-max asks: `postgres://…`, `mysql://…` or `sqlite:PATH` [default: the one
    /// of --store]
    #[arg(long = "in", value_name = "DATABASE", env = "LEAFID_IN", hide_env_values = true)]
    database: Option<String>,
    /// How many more numbers are left free, for rows that others still number by themselves
    #[arg(long, value_name = "N", requires = "from_max", default_value_t = 0)]
    headroom: u64,
}

impl FromMax {
    pub fn of(sql: String, database: Option<String>) -> FromMax {
        FromMax { from_max: Some(sql), database, headroom: 0 }
    }

    /// The first number, if a query was given; `store` is the tag's.
    pub fn first(&self, tag: &str, store: Option<&str>) -> Result<Option<u64>, Problem> {
        let Some(sql) = &self.from_max else { return Ok(None) };
        let variable = variable();
        let named = self.database.as_deref().or(store).or(variable.as_deref());
        let named = named.filter(|named| !is_server(named));
        let by_hand = || {
            let detail = format!(
                "--from-max asks a database, and none is named: add --in postgres://…, mysql://… or \
                 sqlite:PATH ({VARIABLE} and --store may name it, too); or by hand: ask it `{sql}`, add 1, \
                 then: leafid tag create {tag} --from NUMBER"
            );
            invalid(detail)
        };
        let named = named.ok_or_else(by_hand)?;
        let place = place(named, "--in")?;
        let found = place.greatest(sql).map_err(|problem| match &place {
            Place::File(file) => {
                let file = masked(&file.to_string_lossy());
                Problem { detail: format!("{} ({file})", problem.detail), ..problem }
            }
            _ => problem,
        })?;
        let greatest = found.map_or(0, |found| u64::try_from(found).unwrap_or(0));
        let first = greatest.checked_add(1).and_then(|next| next.checked_add(self.headroom));
        match first.filter(|first| *first < LINE_END) {
            Some(first) => Ok(Some(first)),
            None => {
                let detail = format!(
                    "the table has numbers up to {greatest}; the first one {} above that would pass \
                     2^63 - 1: give a smaller --headroom, or check what the query counts",
                    self.headroom
                );
                Err(Problem::new(Code::TagSpent, detail))
            }
        }
    }

    pub fn then(&self, tag: &str) -> Option<String> {
        self.from_max.as_ref().map(|_| {
            format!(
                "before anything draws from tag `{tag}`: stop what still numbers rows of the table by \
                 itself, and then move the tag past what came meanwhile: leafid tag advance {tag}, with the \
                 same --from-max"
            )
        })
    }
}
