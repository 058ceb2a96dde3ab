//! Runs scripts step by step, and compares each result with the expected one.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The values that `$names` stand for.
#[derive(Debug, Default)]
pub struct Names(BTreeMap<String, Value>);

impl Names {
    /// Replaces names in a step by their values, except in its expectation.
    pub fn put_in(&self, step: &Value) -> Value {
        match step {
            Value::String(text) => self.0.get(text).unwrap_or(step).clone(),
            Value::Object(fields) => {
                let filled = fields.iter().filter(|(field, _)| *field != "gives");
                Value::Object(filled.map(|(k, v)| (k.clone(), self.put_in(v))).collect())
            }
            other => other.clone(),
        }
    }

    /// Compares exactly, except that an object may leave fields out, null means absent, and a new
    /// name matches any value that no other name has.
    pub fn compare(&mut self, expected: &Value, gave: &Value) -> Result<(), String> {
        let differ = || Err(format!("expected {expected}, got {gave}"));
        match (expected, gave) {
            (Value::String(name), _) if name.starts_with('$') => match self.0.get(name) {
                Some(known) if known == gave => Ok(()),
                Some(known) => Err(format!("expected {name}, which is {known}, got {gave}")),
                None if self.0.values().any(|known| known == gave) => {
                    Err(format!("expected another {name}, got {gave} again"))
                }
                None => {
                    self.0.insert(name.clone(), gave.clone());
                    Ok(())
                }
            },
            (Value::Object(expected), Value::Object(gave)) => self.compare_fields(expected, gave),
            (Value::Array(wanted), Value::Array(given)) if wanted.len() == given.len() => {
                wanted.iter().zip(given).try_for_each(|(wanted, given)| self.compare(wanted, given))
            }
            _ if expected == gave => Ok(()),
            _ => differ(),
        }
    }

    fn compare_fields(
        &mut self,
        expected: &Map<String, Value>,
        gave: &Map<String, Value>,
    ) -> Result<(), String> {
        for (field, wanted) in expected {
            let given = gave.get(field).unwrap_or(&Value::Null);
            self.compare(wanted, given)
                .map_err(|problem| format!("`{field}`: {problem} in {}", shown(gave)))?;
        }
        Ok(())
    }
}

fn shown(gave: &Map<String, Value>) -> String {
    Value::Object(gave.clone()).to_string()
}

/// Takes all steps, each of which gives a result; fails with the first that gives a different one.
pub fn run(
    script: &Value,
    mut take: impl FnMut(&Value) -> Result<Value, String>,
) -> Result<(), String> {
    let steps = script["steps"].as_array().ok_or("it has no steps")?;
    let mut names = Names::default();
    for (number, step) in (1..).zip(steps) {
        let place = |problem| format!("step {number} ({}): {problem}", step["do"]);
        let put_in = names.put_in(step);
        let gave = take(&put_in).map_err(place)?;
        let expected = step.get("gives").ok_or_else(|| place("it expects nothing".to_owned()))?;
        if gave.get("code").is_some() && expected.get("code").is_none() {
            return Err(place(format!("it was refused: {gave}")));
        }
        names.compare(expected, &gave).map_err(place)?;
    }
    Ok(())
}
