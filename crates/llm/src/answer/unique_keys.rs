//! Parses JSON and rejects objects with two different values for one name.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Parses a text that must be a JSON object.
pub(super) fn object(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    match serde_json::from_str::<UniqueKeys>(text)?.0 {
        Value::Object(object) => Ok(object),
        _ => Err(serde_json::Error::custom("it is no object")),
    }
}

/// A value whose objects have one value per name, however often the name is repeated.
struct UniqueKeys(Value);

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueKeysVisitor).map(Self)
    }
}

struct UniqueKeysVisitor;

impl<'de> Visitor<'de> for UniqueKeysVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(UniqueKeys(value)) = values.next_element()? {
            list.push(value);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, UniqueKeys(value))) = fields.next_entry::<String, UniqueKeys>()? {
            if object.get(&name).is_some_and(|earlier| *earlier != value) {
                return Err(A::Error::custom(format_args!("it has two values for {name:?}")));
            }
            object.insert(name, value);
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_has_one_value() {
        let text = r#"{"a": [1, -2, 0.5, null, true, "ü"], "b": {"c": {}}, "b": {"c": {}}}"#;
        let expected = json!({"a": [1, -2, 0.5, null, true, "ü"], "b": {"c": {}}});
        assert_eq!(object(text).map(Value::Object).unwrap(), expected);
        assert!(object(r#"{"a": [{"b": 1, "b": 2}]}"#).unwrap_err().to_string().contains("two values for \"b\""));
        assert!(object("[]").is_err());
        assert!(object("{} {}").is_err());
    }
}
