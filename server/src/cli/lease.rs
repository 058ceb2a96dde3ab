//! `leafid lease …`: a range of numbers for something else than a generator.

use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use leafid_core::{Code, FieldWriter, Range, Token};
use leafid_store::json::Writer;
use leafid_store::problem::Problem;
use leafid_store::random;
use leafid_wire::path;

use super::args::step;
use super::client::Target;
use super::output::is_json;
use super::{Failure, say, sql, tags};

#[derive(Args, Debug)]
pub struct Lease {
    /// The tag to lease numbers of
    tag: String,
    /// How many: one range of that many, or an error and none; at most the tag's max_step
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true, value_parser = step)]
    count: u32,
    /// What is printed [default: the first number, and one more than the last]
    #[arg(long = "as", value_name = "FORM")]
    form: Option<Form>,
    /// For SQL: the table, as TABLE or SCHEMA.TABLE [default: the tag]
    #[arg(long, value_name = "NAME", requires = "form")]
    table: Option<String>,
    /// For SQL: the column [default: id]
    #[arg(long, value_name = "NAME", requires = "form")]
    column: Option<String>,
    #[command(flatten)]
    target: Target,
}

/// What is printed of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// SQL for PostgreSQL: a column default that gives these numbers and no other
    Postgres,
    /// SQL for MySQL or MariaDB: AUTO_INCREMENT begins here, and a trigger refuses what lies outside
    Mysql,
    /// An object with tag, start, end and count
    Json,
}

impl Lease {
    /// Leases, and prints what was had.
    pub fn run(self) -> Result<(), Failure> {
        let Lease { tag, count, form, .. } = &self;
        let (tag, count, mut form) = (tag.clone(), *count, *form);
        if is_json() {
            if !matches!(form, None | Some(Form::Json)) {
                let wrong = "`--json` and `--as` ask for different forms: leave one out\n";
                return Err(clap::Error::raw(ErrorKind::ArgumentConflict, wrong).into());
            }
            form = Some(Form::Json);
        }
        let path = path::lease(tags::tag(&tag)?);
        // Whatever is wrong with a name is found before anything is leased for it.
        let place = match form {
            Some(Form::Postgres) => Some(self.place(sql::POSTGRES)?),
            Some(Form::Mysql) => Some(self.place(sql::MYSQL)?),
            _ if self.table.is_some() || self.column.is_some() => {
                let wrong = "`--table` and `--column` belong to `--as postgres` and `--as mysql`\n";
                return Err(clap::Error::raw(ErrorKind::ArgumentConflict, wrong).into());
            }
            _ => None,
        };
        let mut body = Writer::default();
        body.token("request", Token::new(random::bytes()?));
        body.number("exactly", count.into());
        let client = self.target.connect()?;
        let grant = client.call("POST", &path, Some(body.end()), false);
        client.close();
        let grant = grant?;
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
        match (form, place) {
            (Some(Form::Postgres), Some(place)) => say(place.postgres(&tag, range)),
            (Some(Form::Mysql), Some(place)) => say(place.mysql(&tag, range)),
            (Some(_), _) => {
                let mut object = Writer::default();
                object.text("tag", &tag);
                object.big("start", range.start);
                object.big("end", range.end);
                object.number("count", range.len());
                say(object.end())
            }
            (None, _) => say(format_args!("{} {}", range.start, range.end)),
        }
    }

    fn place(&self, dialect: sql::Dialect) -> Result<sql::Place, Problem> {
        let table = self.table.as_deref().unwrap_or(&self.tag);
        sql::Place::new(dialect, table, self.column.as_deref().unwrap_or("id"))
    }
}
