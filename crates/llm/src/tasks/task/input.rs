//! The input of a task, of any type. An answer's input hash is computed from its serialised form.

use std::any::{Any, type_name};
use std::fmt::Debug;
use std::sync::Arc;

use aha_net::hash::hex32;
use serde::Serialize;
use thiserror::Error;

use super::Task;

/// Why an input cannot be rendered into a prompt.
#[derive(Debug, Error)]
pub enum RenderError {
    #[error("the input cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the task {task} was given an input that is no {wanted}; this build is broken, please report it")]
    WrongInput { task: &'static str, wanted: &'static str },
}

/// The input of one task. Cloning is cheap: the value is shared.
#[derive(Debug, Clone)]
pub struct TaskInput {
    task: Task,
    value: Arc<dyn Input>,
    /// The number of things it is about.
    parts: usize,
}

/// Any type that can be serialised.
trait Input: Any + Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;

    /// Returns its JSON with the task's name before its fields.
    fn tagged(&self, task: &'static str) -> Vec<u8>;
}

#[derive(Serialize)]
struct Tagged<'a, T> {
    task: &'static str,
    #[serde(flatten)]
    input: &'a T,
}

impl<T: Serialize + Debug + Send + Sync + 'static> Input for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn tagged(&self, task: &'static str) -> Vec<u8> {
        // What has no JSON object is distinguished by its debug text, so that it never gets another input's answer.
        serde_json::to_vec(&Tagged { task, input: self }).unwrap_or_else(|_| format!("{task} {self:?}").into_bytes())
    }
}

impl TaskInput {
    /// Wraps an input, which should be serialised as a map without a field `task`; each task's file defines its type.
    #[must_use]
    pub fn new<T: Serialize + Debug + Send + Sync + 'static>(task: Task, input: T) -> Self {
        Self { task, value: Arc::new(input), parts: 1 }
    }

    /// Sets the number of things it is about, for the log.
    #[must_use]
    pub fn about(self, parts: usize) -> Self {
        Self { parts, ..self }
    }

    #[must_use]
    pub const fn parts(&self) -> usize {
        self.parts
    }

    #[must_use]
    pub const fn task(&self) -> Task {
        self.task
    }

    /// Returns the input as its type.
    ///
    /// # Errors
    /// [`RenderError::WrongInput`] when it has another type.
    pub fn get<T: 'static>(&self) -> Result<&T, RenderError> {
        let wrong = || RenderError::WrongInput { task: self.task.as_str(), wanted: type_name::<T>() };
        (*self.value).as_any().downcast_ref().ok_or_else(wrong)
    }

    /// Returns the first 32 hexadecimal digits of the SHA-256 of the serialised input.
    #[must_use]
    pub fn hash(&self) -> String {
        hex32(&self.value.tagged(self.task.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{signal_parse, triage};

    #[test]
    fn the_hash_is_of_the_task_and_then_the_input_s_fields() {
        let input = signal_parse::SignalInput { result: serde_json::json!({"id": 1.5}), related: vec!["a".into()] };
        let expected = hex32(br#"{"task":"signal_parse","result":{"id":1.5},"related":["a"]}"#);
        assert_eq!(signal_parse::input(input).hash(), expected);
    }

    #[test]
    fn an_input_of_another_type_is_an_error_and_no_empty_prompt() {
        let input = TaskInput::new(triage::TASK, serde_json::json!({}));
        let error = input.get::<triage::TriageInput>().unwrap_err();
        assert!(error.to_string().contains("triage"), "{error}");
    }
}
