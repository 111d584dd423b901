//! Vectors made of words: texts that share words are alike, and the same text always gets the same vector.

use serde_json::{Value, json};

use super::answer::draw;
use super::call::Call;
use super::envelope::dated;
use super::fault::Fault;
use crate::support::feeds::Random;

/// The texts to embed.
pub fn texts(call: &Call) -> Vec<&str> {
    match &call.body["input"] {
        Value::String(text) => vec![text],
        input => input.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
    }
}

/// A vector of length 1 (of zeros for a text without a word).
pub fn vector(text: &str, dimension: usize) -> Vec<f64> {
    let mut sum = vec![0.0; dimension];
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let mut random = Random(draw(&word.to_lowercase()));
        for number in &mut sum {
            *number += f64::from(u32::try_from(random.below(2001)).unwrap()) / 1000.0 - 1.0;
        }
    }
    let length = sum.iter().map(|number| number * number).sum::<f64>().sqrt();
    sum.iter().map(|number| if length > 0.0 { number / length } else { 0.0 }).collect()
}

pub fn response(call: &Call, dimension: usize, tokens: u64, fault: Option<&Fault>) -> Value {
    let dimension = call.body["dimensions"].as_u64().map_or(dimension, |wanted| usize::try_from(wanted).unwrap());
    let vectors = texts(call).into_iter().map(|text| json!(vector(text, dimension)));
    let one = |(index, vector): (usize, Value)| json!({ "object": "embedding", "index": index, "embedding": vector });
    let mut data: Vec<Value> = vectors.enumerate().map(one).collect();
    if let Some(fault) = fault {
        spoil(fault, &mut data);
    }
    json!({
        "object": "list",
        "data": data,
        "model": dated(call.model()),
        "usage": { "prompt_tokens": tokens, "total_tokens": tokens },
    })
}

fn spoil(fault: &Fault, data: &mut Vec<Value>) {
    let Some(first) = data.first_mut() else { return };
    let numbers = first["embedding"].as_array_mut().into_iter();
    match fault {
        Fault::WrongDimension => numbers.for_each(|numbers| drop(numbers.pop())),
        Fault::NullNumber => numbers.for_each(|numbers| numbers[0] = Value::Null),
        Fault::ZeroVector => numbers.flatten().for_each(|number| *number = json!(0.0)),
        Fault::MissingIndex => drop(data.remove(0)),
        Fault::Reversed => data.reverse(),
        _ => {}
    }
}
