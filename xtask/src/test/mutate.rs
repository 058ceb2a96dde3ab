//! Makes a vectors file wrong in exactly one place.

use serde_json::Value;

use crate::Outcome;

/// Changes the last `gives` of a file into another value of the same kind; the new text, and what
/// was changed.
pub fn one_expected_value(text: &str) -> Outcome<(String, String)> {
    let mut parsed: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let leaf = last_expected(&mut parsed, false).ok_or("no `gives` in this vectors file")?;
    let before = leaf.to_string();
    change(leaf);
    let what = format!("{before} → {leaf}");
    Ok((parsed.to_string(), what))
}

/// The last value below a `gives` that is no list and no object. A text that begins with `$` stands for
/// whatever the store gives, so another name is as right.
fn last_expected(value: &mut Value, is_expected: bool) -> Option<&mut Value> {
    match value {
        Value::Array(items) => {
            items.iter_mut().rev().find_map(|item| last_expected(item, is_expected))
        }
        Value::Object(map) => {
            let mut fields: Vec<_> = map.iter_mut().collect();
            fields.reverse();
            let below =
                |(name, item): (&String, _)| last_expected(item, is_expected || name == "gives");
            fields.into_iter().find_map(below)
        }
        Value::String(text) if text.starts_with('$') => None,
        leaf => is_expected.then_some(leaf),
    }
}

fn change(leaf: &mut Value) {
    *leaf = match leaf.take() {
        Value::String(text) => Value::String(another(&text)),
        Value::Bool(yes) => Value::Bool(!yes),
        Value::Number(number) => Value::from(number.as_u64().map_or(0, |number| number ^ 1)),
        _ => Value::from("1"),
    };
}

// A number stays a number and a word a word, so that it is the comparison that must notice.
fn another(text: &str) -> String {
    if let Ok(number) = text.parse::<u64>() {
        return (number ^ 1).to_string();
    }
    let last = if text.ends_with('A') { 'B' } else { 'A' };
    let kept = text.char_indices().next_back().map_or("", |(at, _)| &text[..at]);
    format!("{kept}{last}")
}

#[cfg(test)]
mod tests {
    use super::one_expected_value;

    #[test]
    fn exactly_one_value_changes() {
        let text =
            r#"[{"steps":[{"do":"next","gives":"4"},{"do":"next","gives":{"code":"TIMED_OUT"}}]}]"#;
        let (changed, what) = one_expected_value(text).expect("it has two expected values");
        assert_eq!(changed, text.replace("TIMED_OUT", "TIMED_OUA"));
        assert!(what.contains("TIMED_OUA"));
        let (number, _) = one_expected_value(r#"{"gives":"4"}"#).expect("it has one");
        assert_eq!(number, r#"{"gives":"5"}"#);
        assert!(one_expected_value("[]").is_err());
        let bound = r#"[{"gives":{"a":"3"}},{"gives":{"b":"$key"}},{"gives":{}}]"#;
        let (changed, _) = one_expected_value(bound).expect("it has one that is compared");
        assert_eq!(changed, bound.replace('3', "2"));
    }
}
