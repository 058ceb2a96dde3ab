//! Makes a vectors file wrong in exactly one place.

use serde_json::Value;

use crate::Outcome;

/// Changes the last `gives` of a file into another value of the same kind; the new text, and what
/// was changed.
pub fn one_expected_value(text: &str) -> Outcome<(String, String)> {
    let mut parsed: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let path = last_expected(&parsed).ok_or("no `gives` in this vectors file")?;
    let leaf = parsed.pointer_mut(&path).ok_or("the `gives` has moved")?;
    let before = leaf.to_string();
    change(leaf);
    let what = format!("{before} → {leaf}");
    Ok((parsed.to_string(), what))
}

/// The JSON pointer to the last expected value that is no list and no object.
fn last_expected(value: &Value) -> Option<String> {
    children(value).into_iter().rev().find_map(|(name, child)| {
        let below = if name == "gives" { last_leaf(child) } else { last_expected(child) };
        below.map(|below| format!("/{name}{below}"))
    })
}

fn last_leaf(value: &Value) -> Option<String> {
    let children = children(value);
    if children.is_empty() {
        return (is_compared(value) && !value.is_array() && !value.is_object()).then(String::new);
    }
    let below = |(name, child): (String, &Value)| Some(format!("/{name}{}", last_leaf(child)?));
    children.into_iter().rev().find_map(below)
}

// A text that begins with `$` stands for whatever the store gives: another name is as right.
fn is_compared(value: &Value) -> bool {
    value.as_str().is_none_or(|text| !text.starts_with('$'))
}

fn children(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect()
        }
        Value::Object(map) => {
            let escaped = |name: &String| name.replace('~', "~0").replace('/', "~1");
            map.iter().map(|(name, item)| (escaped(name), item)).collect()
        }
        _ => Vec::new(),
    }
}

fn change(leaf: &mut Value) {
    *leaf = match leaf.take() {
        Value::String(text) => Value::String(another(&text)),
        Value::Bool(yes) => Value::Bool(!yes),
        Value::Number(number) => match number.as_u64() {
            Some(number) => Value::from(number ^ 1),
            None => Value::from(0),
        },
        _ => Value::from("1"),
    };
}

// A number stays a number and a word a word, so that it is the comparison that must notice.
fn another(text: &str) -> String {
    match text.parse::<u64>() {
        Ok(number) => (number ^ 1).to_string(),
        Err(_) if text.ends_with('A') => format!("{}B", &text[..text.len() - 1]),
        Err(_) => {
            let mut kept: String = text.to_owned();
            kept.pop();
            kept + "A"
        }
    }
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
