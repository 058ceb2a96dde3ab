//! A script, step by step.

use serde_json::Value;

use crate::compare::Names;

pub trait Subject {
    /// Takes one step and says what it gave.
    fn step(&mut self, step: &Value) -> Result<Value, String>;
}

/// Takes all steps; the first that gives something else is told.
pub fn run(script: &Value, subject: &mut impl Subject) -> Result<(), String> {
    let steps = script["steps"].as_array().ok_or("it has no steps")?;
    let mut names = Names::default();
    for (number, step) in (1..).zip(steps) {
        let place = |problem| format!("step {number} ({}): {problem}", step["do"]);
        let put_in = names.put_in(step);
        let gave = subject.step(&put_in).map_err(place)?;
        let expected = step.get("gives").ok_or_else(|| place("it expects nothing".to_owned()))?;
        if gave.get("code").is_some() && expected.get("code").is_none() {
            return Err(place(format!("it was refused: {gave}")));
        }
        names.compare(expected, &gave).map_err(place)?;
    }
    Ok(())
}
