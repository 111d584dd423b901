//! The tasks: what can be asked of a model, one file each.
//!
//! A file holds the input's type, its `SPEC` ([`TaskSpec`]), how inputs are rendered into the prompt, and what `local` answers
//! in a model's place. Settings, router, prompts, schemas and gateway go by the spec. To add a task, add its file here and to
//! [`ALL`], its prompt below `prompts/`, its schema below `schemas/`.

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
    AnswerKind, Enabled, KeptAnswers, PromptFiles, PromptValues, RenderContext, RenderError, Task, TaskInput,
    TaskLimits, TaskSpec, TaskTimeouts, TaskVariables, short_id,
};
pub use text::clip;

/// All tasks, in the order in which they are listed to people.
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

/// The task of that name.
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
            for other in &ALL[index + 1..] {
                assert_ne!(task.prompt_id(), other.prompt_id());
                assert_ne!(task.schema_version(), other.schema_version());
                assert!(task < other, "they are ordered as in the list");
            }
        }
    }
}
