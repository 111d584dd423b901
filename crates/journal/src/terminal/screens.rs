//! The state of the screens, and how keys and events change it.

use std::collections::HashSet;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::editor::{EditResult, Editor};
use crate::events::PhaseEvent;
use crate::plan::{Decision, Plan, PlanAction, PlannedBlock};

/// One screen per phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    Classify,
    Reword,
    Integrate,
}

/// The action that a key requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    None,
    Quit,
    /// Show the changes as a diff.
    Preview,
    Write,
    /// Repeat the failed requests.
    Retry,
}

/// What is drawn over a screen.
#[derive(Debug, Clone)]
pub(super) enum Overlay {
    /// The changes that would be written, for confirmation.
    Diff {
        text: String,
        scroll: u16,
    },
    Message(String),
    Help,
}

/// State of all screens.
#[derive(Debug)]
pub struct Screens {
    plan: Plan,
    pub(super) screen: Screen,
    pub(super) selected: usize,
    /// Index of the selected target of the selected block.
    pub(super) decision: usize,
    pub(super) editor: Option<Editor>,
    pub(super) overlay: Option<Overlay>,
    pub(super) status: String,
    pub(super) is_busy: bool,
    /// Blocks that the user has selected, deselected or chosen targets for. Later events do not override that.
    ticked: HashSet<String>,
    edited: HashSet<String>,
    written: Option<String>,
}

impl Screens {
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        Self {
            plan,
            screen: Screen::Classify,
            selected: 0,
            decision: 0,
            editor: None,
            overlay: None,
            status: "reading".to_owned(),
            is_busy: true,
            ticked: HashSet::new(),
            edited: HashSet::new(),
            written: None,
        }
    }

    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the message about the applied plan.
    #[must_use]
    pub fn written(&self) -> Option<&str> {
        self.written.as_deref()
    }

    pub fn event(&mut self, event: PhaseEvent) {
        match event {
            PhaseEvent::RequestSent { phase, about } => self.status = format!("{phase}: {about}"),
            PhaseEvent::BlockFound(block) => {
                if !self.plan.blocks.iter().any(|known| known.block == block.block) {
                    self.plan.blocks.push(block);
                }
            }
            PhaseEvent::Reworded { block, text } => {
                let is_edited = self.edited.contains(&block);
                if let Some(known) = self.block_mut(&block).filter(|_| !is_edited) {
                    known.reworded = text;
                }
            }
            PhaseEvent::TargetsFound(block) => self.placed(block),
            PhaseEvent::Retried { phase, reason } => self.status = format!("{phase} once more: {reason}"),
            PhaseEvent::Failed { reason, .. } => self.status = not_finished(&reason),
            PhaseEvent::Finished { skipped_existing, failures } => {
                self.plan.skipped_existing = skipped_existing;
                self.plan.failures = failures;
                self.no_more_events();
            }
        }
    }

    /// Marks the phases as finished.
    pub fn no_more_events(&mut self) {
        if std::mem::take(&mut self.is_busy) {
            self.status = match self.plan.failures.first() {
                Some(failure) => not_finished(failure),
                None => format!("done; already on a page: {}", self.plan.skipped_existing),
            };
        }
    }

    fn placed(&mut self, placed: PlannedBlock) {
        let (is_ticked, is_edited) = (self.ticked.contains(&placed.block), self.edited.contains(&placed.block));
        let Some(known) = self.block_mut(&placed.block) else { return };
        if !is_ticked {
            known.apply = placed.apply;
        }
        if !is_edited {
            known.reworded = placed.reworded;
        }
        let before = std::mem::replace(&mut known.decisions, placed.decisions);
        if is_ticked && !before.is_empty() {
            keep_choices(&before, &mut known.decisions);
        }
        known.note = placed.note;
    }

    fn block_mut(&mut self, id: &str) -> Option<&mut PlannedBlock> {
        self.plan.blocks.iter_mut().find(|block| block.block == id)
    }

    pub(super) fn current(&self) -> Option<&PlannedBlock> {
        self.plan.blocks.get(self.selected)
    }

    pub fn key(&mut self, key: KeyEvent) -> Command {
        if let Some(editor) = &mut self.editor {
            let edited = editor.key(key);
            self.edited(edited);
            return Command::None;
        }
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        let code = match key.code {
            // Leaves as `q` does, which is text in the editor.
            KeyCode::Char('c') if is_control => KeyCode::Char('q'),
            KeyCode::Char(_) if is_control => return Command::None,
            code => code,
        };
        if self.overlay.is_some() {
            return self.key_of_overlay(code);
        }
        match code {
            KeyCode::Char('q') => return Command::Quit,
            KeyCode::Char('?') => self.overlay = Some(Overlay::Help),
            KeyCode::Char('1') => self.screen = Screen::Classify,
            KeyCode::Char('2') => self.screen = Screen::Reword,
            KeyCode::Char('3') => self.screen = Screen::Integrate,
            KeyCode::Tab | KeyCode::Right if code == KeyCode::Tab || self.screen != Screen::Integrate => {
                self.screen = next(self.screen);
            }
            KeyCode::BackTab => self.screen = next(next(self.screen)),
            KeyCode::Up | KeyCode::Char('k') => self.select(self.selected.saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => self.select(self.selected + 1),
            KeyCode::Home => self.select(0),
            KeyCode::End => self.select(usize::MAX),
            KeyCode::Char('r') if !self.is_busy && !self.plan.failures.is_empty() => {
                self.is_busy = true;
                return Command::Retry;
            }
            KeyCode::Char('d') | KeyCode::Enter if self.is_busy => {
                "wait until all is known".clone_into(&mut self.status);
            }
            KeyCode::Char('d') => return Command::Preview,
            KeyCode::Enter if self.screen == Screen::Integrate => return Command::Preview,
            KeyCode::Enter => self.screen = next(self.screen),
            KeyCode::Char(' ') => self.tick(),
            KeyCode::Char('e') if self.screen != Screen::Classify => {
                self.editor = self.current().map(|block| Editor::new(&block.reworded));
            }
            KeyCode::Left if self.screen == Screen::Integrate => self.decision = self.decision.saturating_sub(1),
            KeyCode::Right => {
                let target_count = self.current().map_or(0, |block| block.decisions.len());
                self.decision = (self.decision + 1).min(target_count.saturating_sub(1));
            }
            KeyCode::Char('x') if self.screen == Screen::Integrate => self.choose(),
            _ => {}
        }
        Command::None
    }

    fn key_of_overlay(&mut self, code: KeyCode) -> Command {
        let Some(Overlay::Diff { scroll, .. }) = &mut self.overlay else {
            self.overlay = None;
            return Command::None;
        };
        match code {
            KeyCode::Up | KeyCode::Char('k') => *scroll = scroll.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => *scroll = scroll.saturating_add(1),
            KeyCode::PageUp => *scroll = scroll.saturating_sub(15),
            KeyCode::PageDown | KeyCode::Char(' ') => *scroll = scroll.saturating_add(15),
            KeyCode::Char('y') => return Command::Write,
            KeyCode::Esc | KeyCode::Char('n' | 'q') => self.overlay = None,
            _ => {}
        }
        Command::None
    }

    fn edited(&mut self, edited: EditResult) {
        let text = self.editor.as_ref().map(Editor::text).unwrap_or_default();
        match edited {
            EditResult::Continue => return,
            EditResult::Accepted if !text.trim().is_empty() => {
                let selected = self.selected;
                if let Some(block) = self.plan.blocks.get_mut(selected) {
                    block.reworded = text;
                    self.edited.insert(block.block.clone());
                }
            }
            EditResult::Accepted | EditResult::Cancelled => {}
        }
        self.editor = None;
    }

    fn select(&mut self, at: usize) {
        self.selected = at.min(self.plan.blocks.len().saturating_sub(1));
        self.decision = 0;
    }

    fn tick(&mut self) {
        let selected = self.selected;
        let Some(block) = self.plan.blocks.get_mut(selected) else { return };
        block.apply = !block.apply;
        self.ticked.insert(block.block.clone());
        // A block to be written needs a selected target.
        let chosen = block.decisions.iter().any(|decision| decision.apply);
        if block.apply
            && !chosen
            && let Some(first) = block.decisions.iter_mut().find(|target| target.action != PlanAction::SkipExists)
        {
            first.apply = true;
        }
    }

    /// Toggles the selected target.
    fn choose(&mut self) {
        let (selected, at) = (self.selected, self.decision);
        let Some(block) = self.plan.blocks.get_mut(selected) else { return };
        let Some(target) = block.decisions.get_mut(at).filter(|target| target.action != PlanAction::SkipExists) else {
            return;
        };
        target.apply = !target.apply;
        block.apply = block.decisions.iter().any(|target| target.apply);
        self.ticked.insert(block.block.clone());
    }

    /// Shows the changes for confirmation, or the error message.
    pub fn show_diff(&mut self, diff: Result<String, String>) {
        self.overlay = Some(match diff {
            Ok(text) if text.trim().is_empty() => Overlay::Message("Nothing would be written.".to_owned()),
            Ok(text) => Overlay::Diff { text, scroll: 0 },
            Err(why) => Overlay::Message(why),
        });
    }

    pub fn show_written(&mut self, result: Result<String, String>) {
        let message = match result {
            Ok(message) => {
                self.written = Some(message.clone());
                message
            }
            Err(why) => why,
        };
        self.overlay = Some(Overlay::Message(message));
    }
}

/// Applies the choices among the targets `before` to the same ones of `found`. A target that was not shown before is
/// selected only if none of the chosen ones is left.
fn keep_choices(before: &[Decision], found: &mut [Decision]) {
    let chosen = |target: &Decision| {
        let is_same = |other: &&Decision| {
            other.target_page == target.target_page
                && other.action == target.action
                && other.target_block_id == target.target_block_id
        };
        before.iter().find(is_same).map(|other| other.apply)
    };
    let has_chosen = found.iter().any(|target| chosen(target) == Some(true));
    for target in found {
        target.apply = chosen(target).unwrap_or(target.apply && !has_chosen);
    }
}

const fn next(screen: Screen) -> Screen {
    match screen {
        Screen::Classify => Screen::Reword,
        Screen::Reword => Screen::Integrate,
        Screen::Integrate => Screen::Classify,
    }
}

/// Formats a failure, which may have several lines, for the one-line status.
fn not_finished(failure: &str) -> String {
    format!("not finished, r tries again, q leaves it: {}", failure.replace('\n', " · "))
}
