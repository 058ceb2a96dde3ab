//! JSON without repeated fields: readers differ in which of two values they use, so a program that
//! checked the text before may have seen the other one.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::shown;

/// A value without repeated fields in its objects, read from JSON or any other format of serde.
///
/// ```
/// use leafid_wire::Unique;
///
/// let read = |text| serde_json::from_str(text).map(|Unique(value)| value);
/// assert_eq!(read(r#"{"a":1,"b":[2]}"#).unwrap()["b"][0], 2);
/// let twice = read(r#"{"a":1,"a":2}"#).unwrap_err();
/// assert!(twice.to_string().starts_with("field `a` is given twice"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Unique(pub Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Unique, D::Error> {
        from.deserialize_any(Values).map(Unique)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Unique(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(field) = entries.next_key::<String>()? {
            if fields.contains_key(&field) {
                return Err(A::Error::custom(format_args!(
                    "field `{}` is given twice",
                    shown(&field)
                )));
            }
            let Unique(value) = entries.next_value()?;
            fields.insert(field, value);
        }
        Ok(Value::Object(fields))
    }
}
