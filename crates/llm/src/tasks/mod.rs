//! The tasks of models, one file each.
//!
//! A file contains the input's type, its `SPEC` ([`TaskSpec`]), how inputs are rendered into the prompt, and the answer
//! of `local` in place of a model. Settings, router, prompts, schemas and gateway are driven by the spec. To add a
//! task, add its file here and to [`ALL`], its prompt below `prompts/`, its schema below `schemas/`.

pub mod answer;
pub mod assistant;
pub mod deep_summary;
pub mod entity_extract;
pub mod journal;
pub mod manual_summary;
#[cfg(test)]
pub(crate) mod samples;
pub mod signal_parse;
pub mod summary;
mod task;
mod text;
pub mod triage;

pub use task::{
    AnswerKind, Enabled, PromptFiles, PromptValues, RenderContext, RenderError, StoredAnswers, Task, TaskInput,
    TaskLimits, TaskSpec, TaskTimeouts, TaskVariables, short_id,
};
pub use text::clip;

/// All tasks, in display order.
pub static ALL: &[Task] = &[
    triage::TASK,
    deep_summary::TASK,
    manual_summary::TASK,
    entity_extract::TASK,
    signal_parse::TASK,
    assistant::ROUTE,
    assistant::PROPOSE,
    assistant::REPAIR,
    assistant::SUMMARY,
    assistant::CHAT,
    journal::CLASSIFY,
    journal::REWORD,
    journal::INTEGRATE,
    answer::TASK,
];

/// Returns the task with that name.
#[must_use]
pub fn by_name(name: &str) -> Option<Task> {
    ALL.iter().copied().find(|task| task.as_str() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_prompts_and_schemas_belong_to_one_task_each() {
        for (index, task) in ALL.iter().enumerate() {
            assert_eq!(by_name(task.as_str()), Some(*task));
            assert!(!task.description().is_empty(), "{}", task.as_str());
            for other in &ALL[index + 1..] {
                assert_ne!(task.prompt_id(), other.prompt_id());
                assert_ne!(task.schema_version(), other.schema_version());
                assert!(task < other, "they are ordered as in the list");
            }
        }
    }

    #[test]
    fn files_are_named_as_the_spec_says_and_every_prompt_distrusts_what_it_is_given() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let read =
            |path: String| std::fs::read_to_string(root.join(&path)).unwrap_or_else(|_| panic!("{path} is missing"));
        for task in ALL {
            let (prompt, version) = (task.spec().prompt, task.schema_version());
            assert_eq!(read(format!("prompts/{}/system.md", prompt.id)), prompt.system);
            assert_eq!(read(format!("prompts/{}/user.md", prompt.id)), prompt.user);
            assert!(
                prompt.system.contains("instruction"),
                "{}: nothing is said of instructions in the texts",
                prompt.id
            );
            let Some(text) = task.spec().answer.schema() else { continue };
            assert_eq!(read(format!("schemas/{version}.json")), text);
            let schema: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(schema["title"], version);
            let stamped = &schema["properties"]["schema_version"]["const"];
            assert!(stamped.is_null() || stamped == version, "{stamped} is not {version}");
        }
    }
}
