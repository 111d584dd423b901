//! The names of the settings that are read, held against `.env.example`.

use std::collections::BTreeSet;

use serde::de::{Deserialize, Deserializer, Error as _, Visitor, value::Error};
use serde::forward_to_deserialize_any;

use super::embed::RawEmbed;
use super::openai::{RawGeneral, RawTask};
use super::{Raw, SHARED};
use crate::domain::task::Task;

/// Notes which fields a struct is read from, and reads none.
struct Fields<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        Err(Error::custom("only its fields are wanted"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("it is no struct"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The variables that a section is read from.
fn names<T: for<'de> Deserialize<'de>>(prefix: &str) -> Vec<String> {
    let mut fields: &[&str] = &[];
    let read = T::deserialize(Fields(&mut fields));
    assert!(read.is_err() && !fields.is_empty());
    fields.iter().map(|field| format!("{prefix}{}", field.to_uppercase())).collect()
}

/// All variables that [`super::Config`] and the catalogue's keys are read from.
fn read() -> BTreeSet<String> {
    let mut names: BTreeSet<String> = self::names::<Raw>("").into_iter().collect();
    names.extend(self::names::<RawGeneral>("OPENAI_"));
    names.extend(self::names::<RawEmbed>("OPENAI_EMBED_"));
    for task in Task::ALL {
        names.extend(self::names::<RawTask>(&format!("OPENAI_{}_", task.as_str().to_uppercase())));
    }
    names.extend(SHARED.map(str::to_owned));
    names
}

/// The variables that `.env.example` sets, or would without the `#` in front.
fn exemplified() -> Vec<String> {
    let lines = include_str!("../../.env.example").lines();
    let pairs = lines.filter_map(|line| line.strip_prefix('#').unwrap_or(line).split_once('='));
    let names = pairs.map(|(name, _)| name).filter(|name| !name.is_empty() && name.chars().all(is_of_name));
    names.map(str::to_owned).collect()
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'
}

#[test]
fn the_example_names_each_setting_once_and_no_others() {
    let (read, exemplified) = (read(), exemplified());
    let names: BTreeSet<String> = exemplified.iter().cloned().collect();
    assert_eq!(names.len(), exemplified.len(), "a setting stands twice in .env.example");
    let missing: Vec<_> = read.difference(&names).collect();
    let unread: Vec<_> = names.difference(&read).collect();
    assert!(
        missing.is_empty() && unread.is_empty(),
        "missing in .env.example: {missing:?}; read by nobody: {unread:?}"
    );
}
