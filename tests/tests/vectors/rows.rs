//! The verbs of a store as the bindings give them to a store of somebody else's: plain rows in, plain
//! rows out.

use leafid_bindings::registry::{self, Row};
use leafid_bindings::{Source, Wrong};
use leafid_core::Fields;
use serde_json::{Value, json};

use crate::Subject;
use crate::json::{Object, object, open, refused, store_time, text};

/// Answers the steps of the kind `rows`.
pub struct Rows;

impl Subject for Rows {
    fn step(&mut self, step: &Value) -> Result<Value, String> {
        let given = |field: &str| open(&step[field]);
        let decided = match text(step, "do")? {
            "tag_row" => {
                let before = step.get("before").map(open);
                registry::tag_row(before, given("wanted")).map(shown)
            }
            "namespace_row" => registry::namespace_row(given("wanted")).map(shown),
            "renew" => {
                let (store, now) = (text(step, "store")?, store_time(step, "at")?);
                registry::renew(store, given("namespace"), given("row"), given("ask"), now).map(
                    |leased| {
                        let (row, grant) = (leased.row, leased.grant);
                        json!({ "row": object(|to| row.put(to)), "grant": object(|to| grant.put(to)) })
                    },
                )
            }
            "release" => {
                registry::release(text(step, "store")?, given("row"), given("ask")).map(shown)
            }
            other => return Err(format!("there is no step `{other}`")),
        };
        Ok(decided.unwrap_or_else(|wrong: Wrong| refused(wrong.refusal)))
    }
}

fn shown(row: Row<impl Fields>) -> Value {
    json!({ "row": object(|to| row.0.put(to)) })
}

impl Source for Object {
    fn field(&self) -> &'static str {
        ""
    }
}
