//! Formats the output of the journal commands, as text and as JSON. Text of notes is shown without terminal control
//! sequences.

use std::fmt::Write as _;

use aha_content::numbers::count;
use aha_journal::decisions::MIN_CONFIDENCE;
use aha_journal::plan::NO_PAGES;
use aha_journal::{Decision, Plan, PlanAction, PlannedBlock, local};
use aha_notes::apply::FailedChange;
use aha_notes::knowledge::Hit;
use aha_notes::{Applied, NotesError, Outcome, Preview, Undone};
use serde_json::{Value, json};

use super::super::output::one_safe_text;
use crate::journal::{Overview, drafts::undone_in_words};

pub(super) fn overview(of: &Overview) -> String {
    let days = match (of.first_day, of.last_day) {
        (Some(first), Some(last)) => {
            format!("{}, from {first} to {last}", count(of.days, "journal day", "journal days"))
        }
        _ => "no journal days".to_owned(),
    };
    let state = of
        .state
        .as_ref()
        .map_or_else(|| "nowhere: set AHA_JOURNAL_STATE".to_owned(), |state| state.display().to_string());
    let mut text = format!(
        "{}: a {} graph with {} and {days}; it indents by {}\nwhat is changed is recorded in {state}\n",
        of.graph.display(),
        of.kind,
        count(of.pages, "page", "pages"),
        of.indentation
    );
    if of.models.is_empty() {
        text.push_str("no model is configured for the phases: rules do them, free\n");
    }
    for model in &of.models {
        let key = model.key.as_ref().map_or_else(|| "without a key".to_owned(), |key| format!("with the key {key}"));
        let found = match (model.answers, model.models) {
            (true, Some(models)) => format!("answers, and lists {}", count(models, "model", "models")),
            (true, None) => "answers".to_owned(),
            (false, _) => "does not answer".to_owned(),
        };
        let _ = writeln!(text, "{} at {}, {key}: {found}", model.model, model.endpoint);
        if !model.problem.is_empty() {
            let _ = writeln!(text, "  {}", model.problem);
        }
    }
    one_safe_text(&text)
}

pub(super) fn hits(hits: &[Hit]) -> String {
    if hits.is_empty() {
        return "nothing was found\n".to_owned();
    }
    let lines = hits.iter().map(|hit| format!("{}: {}\n", hit.page, hit.text.lines().next().unwrap_or_default()));
    one_safe_text(&lines.collect::<Vec<_>>().concat())
}

pub(super) fn plan(plan: &Plan) -> String {
    let mut text = String::new();
    for block in &plan.blocks {
        let mark = if is_written(block) { "+" } else { "-" };
        let _ = writeln!(
            text,
            "{mark} {} {:.0} %: {}",
            block.day,
            block.confidence * 100.0,
            block.reworded.replace('\n', " ")
        );
        for decision in &block.decisions {
            let mark = if decision.apply { "→" } else { " " };
            let _ = writeln!(text, "    {mark} {}", decision_line(decision));
        }
        if let Some(note) = note(block) {
            let _ = writeln!(text, "      {note}");
        }
    }
    text.push_str(&totals(plan));
    for failure in &plan.failures {
        let _ = writeln!(text, "\n{failure}");
    }
    if !plan.failures.is_empty() {
        text.push_str("\nOptions: [Retry] the same command again asks only for what was not answered · [Skip] what is above is kept · [Cancel] nothing is written without --apply\n");
    }
    one_safe_text(&text)
}

fn decision_line(decision: &Decision) -> String {
    let block = decision.target_block_title.as_deref().map_or_else(String::new, |title| format!(" › {title}"));
    let page = &decision.target_page;
    let action = match (decision.action, decision.is_new_page) {
        (PlanAction::AddSection, true) => format!("add to a new page \"{page}\""),
        (PlanAction::AddSection, false) => format!("add to the page \"{page}\""),
        (PlanAction::AddUnder, _) => format!("add below a block of \"{page}\"{block}"),
        (PlanAction::Replace, _) => format!("replace a block of \"{page}\"{block}"),
        (PlanAction::SkipExists, _) => format!("already on \"{page}\"{block}"),
    };
    format!("{action}, {:.0} % sure", decision.confidence * 100.0)
}

fn is_written(block: &PlannedBlock) -> bool {
    block.apply && block.decisions.iter().any(|decision| decision.apply)
}

/// Returns whether a block is not written because no page that exists fits.
fn is_without_page(block: &PlannedBlock) -> bool {
    block.note.as_deref() == Some(NO_PAGES) && !is_written(block)
}

fn note(block: &PlannedBlock) -> Option<&str> {
    match block.note.as_deref() {
        // The user chose a new page in a plan file.
        Some(NO_PAGES) if is_written(block) => None,
        Some(NO_PAGES) if !block.decisions.is_empty() => Some("no page that exists fits"),
        note => note,
    }
}

/// Counts the blocks, and says why some are not written.
fn totals(plan: &Plan) -> String {
    let kept = plan.blocks.iter().filter(|block| is_written(block)).count();
    let found = count(plan.blocks.len(), "block with knowledge", "blocks with knowledge");
    let made_by = if plan.made_by == local::MADE_BY { "rules" } else { plan.made_by.as_str() };
    let kept = if kept == 0 { "none".to_owned() } else { kept.to_string() };
    if plan.blocks.is_empty() && !plan.failures.is_empty() {
        return format!("nothing was found by {made_by}, as requests failed:\n");
    }
    let mut text = format!("{found} found by {made_by}, {kept} to be written");
    if plan.skipped_existing > 0 {
        let _ = write!(text, ", {} on a page already", plan.skipped_existing);
    }
    text.push('\n');
    let without_page = || plan.blocks.iter().filter(|block| is_without_page(block));
    let new_page = without_page().filter(|block| !block.decisions.is_empty()).count();
    if new_page > 0 {
        let _ = writeln!(
            text,
            "not written: {}, for which only a new page is proposed. A page is made only if you choose it:\n  \
             on the screens of a terminal, without --apply; or in a plan: write it with --plan FILE, set \"apply\" of \
             the\n  block and of its page to true there, and carry it out with --apply --plan FILE",
            count(new_page, "block", "blocks")
        );
    }
    let no_page = without_page().filter(|block| block.decisions.is_empty()).count();
    if no_page > 0 {
        let _ = writeln!(
            text,
            "not written: {}, for which no page is found with a confidence of {:.0} % or more; link a page in the\n  \
             block ([[Page]]) and do it again",
            count(no_page, "block", "blocks"),
            MIN_CONFIDENCE * 100.0
        );
    }
    text
}

pub(super) fn diffs(previews: &[Preview], not_made: &[FailedChange], plan: &Plan) -> String {
    let mut text: String = previews.iter().map(|preview| format!("\n{}", preview.diff())).collect::<Vec<_>>().concat();
    let changes = plan.changes();
    for (index, error) in not_made {
        let page = changes.get(*index).map_or("", |change| change.page.as_str());
        let _ = writeln!(text, "cannot be written to {page}: {error}");
    }
    one_safe_text(&text.replace('\t', "    "))
}

pub(super) fn applied(applied: &Applied) -> String {
    let (mut written, mut there, mut text) = (0, 0, String::new());
    for outcome in &applied.outcomes {
        match outcome {
            Outcome::Written { .. } => written += 1,
            Outcome::AlreadyThere { .. } => there += 1,
            Outcome::Failed(error @ NotesError::NotLinked { .. }) => {
                written += 1;
                let _ = writeln!(text, "not complete: {error}");
            }
            Outcome::Failed(error) => {
                let _ = writeln!(text, "not written: {error}");
            }
        }
    }
    for (file, kept) in &applied.written_late {
        let _ = writeln!(
            text,
            "another program wrote to {file} while it was replaced; what it wrote is in {}",
            kept.display()
        );
    }
    let already = if there > 0 { format!(", {there} there already") } else { String::new() };
    let undo = if written > 0 { "; `aha-radar journal undo` reverts it" } else { "" };
    let written = if written == 0 { "nothing".to_owned() } else { written.to_string() };
    let _ = writeln!(text, "{written} written{already}{undo}");
    one_safe_text(&text)
}

/// Returns whether any change could not be written.
pub(super) fn has_failed(applied: &Applied) -> bool {
    applied.outcomes.iter().any(|outcome| matches!(outcome, Outcome::Failed(_)))
}

pub(super) fn applied_json(plan: &Plan, applied: &Applied) -> Value {
    let changes = plan.changes();
    let outcomes = changes.iter().zip(&applied.outcomes).map(|(change, outcome)| {
        let (state, detail) = match outcome {
            Outcome::Written { block } => ("written", block.clone()),
            Outcome::AlreadyThere { block } => ("already_there", block.clone()),
            Outcome::Failed(error) => ("failed", error.to_string()),
        };
        json!({ "block": change.knowledge, "page": change.page, "action": change.action, "state": state, "detail": detail })
    });
    let late = applied.written_late.iter().map(|(file, kept)| json!({ "file": file, "kept": kept }));
    json!({ "changes": outcomes.collect::<Vec<_>>(), "written_late": late.collect::<Vec<_>>() })
}

pub(super) fn undone(undone: &[Undone]) -> String {
    if undone.is_empty() {
        return "there is nothing to undo\n".to_owned();
    }
    let mut lines: Vec<String> = Vec::new();
    // A file may have been written once per block.
    for line in undone.iter().map(undone_in_words) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    one_safe_text(&format!("{}\n", lines.join("\n")))
}

pub(super) fn undone_json(undone: &[Undone]) -> Value {
    let files = undone.iter().map(|one| match one {
        Undone::Restored { file } => json!({ "file": file, "state": "restored" }),
        Undone::Removed { file } => json!({ "file": file, "state": "taken_out" }),
        Undone::Skipped { file, why } => json!({ "file": file, "state": "left_alone", "why": why }),
    });
    json!(files.collect::<Vec<_>>())
}
