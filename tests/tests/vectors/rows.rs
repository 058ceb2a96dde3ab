//! The verbs of a store, as the bindings offer them to a user's own store: plain rows in, plain rows out.

use leafid_bindings::registry::{self, Leased, Row};
use leafid_bindings::{Object, Reading, Value as Held, Writing, Wrong};
use leafid_wire::Fields;
use serde_json::{Map, Value, json};

use crate::Subject;
use crate::json::{refused, store_time, text};

/// Answers the steps of the kind `rows`.
pub struct Rows;

impl Subject for Rows {
    fn step(&mut self, step: &Value) -> Result<Value, String> {
        let given = |field: &str| open(&step[field]);
        let store = || text(step, "store");
        let now = || store_time(step, "at");
        let decided = match text(step, "do")? {
            "tag_row" => {
                let before = step.get("before").map(open);
                registry::tag_row(before, given("wanted")).map(shown)
            }
            "namespace_row" => registry::namespace_row(given("wanted")).map(shown),
            "lease_segment" => {
                registry::lease_segment(store()?, given("row"), given("ask"), now()?).map(leased)
            }
            "acquire" => {
                let (space, rows) = (given("namespace"), given("candidates"));
                let acquired = registry::acquire(store()?, space, rows, given("ask"), now()?);
                acquired.map(|acquired| {
                    let (row, grant) = (acquired.worker, acquired.grant);
                    json!({ "row": written(&row), "grant": written(&grant) })
                })
            }
            "renew" => {
                let (space, row) = (given("namespace"), given("row"));
                registry::renew(store()?, space, row, given("ask"), now()?).map(leased)
            }
            "release" => registry::release(store()?, given("row"), given("ask")).map(shown),
            other => return Err(format!("there is no step `{other}`")),
        };
        Ok(decided.unwrap_or_else(|wrong: Wrong| refused(wrong.refusal)))
    }
}

fn leased(leased: Leased<impl Fields, impl Fields>) -> Value {
    let row = written(&leased.row);
    match leased.answer {
        Ok(grant) => json!({ "row": row, "grant": written(&grant) }),
        Err(refusal) => json!({ "row": row, "refused": { "code": refusal.code.as_str() } }),
    }
}

fn shown(row: Row<impl Fields>) -> Value {
    json!({ "row": written(&row.0) })
}

/// A plain object, as in a host whose numbers are doubles.
#[derive(Default)]
struct Plain(Map<String, Value>);

fn open(from: &Value) -> Reading<Plain> {
    Reading::new(Plain(from.as_object().cloned().unwrap_or_default()))
}

fn written(value: &impl Fields) -> Value {
    let mut to = Writing(Plain::default());
    value.put(&mut to);
    Value::Object(to.0.0)
}

impl Object for Plain {
    fn get(&self, field: &'static str) -> Held<'static, Plain> {
        match self.0.get(field) {
            None | Some(Value::Null) => Held::Absent,
            Some(Value::Bool(flag)) => Held::Flag(*flag),
            Some(Value::Number(number)) => number.as_f64().map_or(Held::Other, Held::Number),
            Some(Value::String(text)) => Held::Owned(text.clone()),
            Some(Value::Object(within)) => Held::Object(Plain(within.clone())),
            Some(Value::Array(_)) => Held::Other,
        }
    }

    fn set(&mut self, field: &'static str, value: Held<'_, Plain>) {
        let value = match value {
            Held::Absent | Held::Other => Value::Null,
            Held::Flag(flag) => flag.into(),
            // Every number of a row is an integer.
            Held::Number(number) => (number as i64).into(),
            Held::Big(big) => big.to_string().into(),
            Held::Moment(ms) => ms.to_string().into(),
            Held::Text(text) => text.into(),
            Held::Owned(text) => text.into(),
            Held::Object(within) => Value::Object(within.0),
        };
        self.0.insert(field.to_owned(), value);
    }

    fn empty(&self) -> Option<Plain> {
        Some(Plain::default())
    }
}
