//! The screens of `journal extract`, and what their keys do.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use aha_journal::events::PhaseEvent;
use aha_journal::terminal::{Actions, run};
use aha_journal::{Day, Plan, local};
use aha_notes::knowledge::PageIndex;
use anyhow::Result;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinHandle;

use super::report;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::journal::Journal;
use crate::journal::phases::{self, ModelAccess};

/// Makes plans and reports them as events.
pub(super) trait Source {
    /// Sends events, with [`PhaseEvent::Finished`] as the last.
    fn start(&self, events: Sender<PhaseEvent>);
}

/// Makes plans by rules, immediately.
pub(super) struct ByRules<'a> {
    pub(super) journal: &'a Journal,
    pub(super) days: &'a [Day],
}

impl Source for ByRules<'_> {
    fn start(&self, events: Sender<PhaseEvent>) {
        let plan = match self.journal.extract_by_rules(self.days) {
            Ok(plan) => plan,
            Err(error) => {
                let _ = events.send(PhaseEvent::Finished { skipped_existing: 0, failures: vec![error.to_string()] });
                return;
            }
        };
        for block in plan.blocks {
            let (id, text) = (block.block.clone(), block.reworded.clone());
            let found = [
                PhaseEvent::BlockFound(block.clone()),
                PhaseEvent::Reworded { block: id, text },
                PhaseEvent::TargetsFound(block),
            ];
            for event in found {
                let _ = events.send(event);
            }
        }
        let end = PhaseEvent::Finished { skipped_existing: plan.skipped_existing, failures: plan.failures };
        let _ = events.send(end);
    }
}

/// Waiting that is longer than this is explained.
const NOTE_AFTER: Duration = Duration::from_millis(200);

/// Makes plans by models, each in a separate task.
pub(super) struct ByModels {
    access: ModelAccess,
    days: Arc<[Day]>,
    index: Arc<PageIndex>,
    root: PathBuf,
    unit: String,
    tasks: RefCell<Vec<JoinHandle<()>>>,
}

impl ByModels {
    pub(super) fn new(access: ModelAccess, journal: &Journal, days: Vec<Day>, index: PageIndex) -> Self {
        Self {
            access,
            days: days.into(),
            index: Arc::new(index),
            root: journal.graph.root().to_owned(),
            unit: journal.graph.unit().to_owned(),
            tasks: RefCell::default(),
        }
    }

    /// Sends no further requests, and waits for those that were sent: the model goes on writing, and its answer is
    /// stored for the next time.
    pub(super) async fn finish(self) {
        for task in self.tasks.take() {
            task.abort();
            // Its result is that it was aborted, or that it had ended.
            let _ = task.await;
        }
        tokio::select! {
            biased;
            () = self.access.settled() => return,
            () = tokio::time::sleep(NOTE_AFTER) => {}
        }
        output::note(
            "aha-radar: the model is still answering; waiting, so that its answer is stored and its cost known \
             (Ctrl-C: leave at once)",
        );
        tokio::select! {
            () = self.access.settled() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    }
}

impl Source for ByModels {
    fn start(&self, events: Sender<PhaseEvent>) {
        let (access, days, index) = (self.access.clone(), Arc::clone(&self.days), Arc::clone(&self.index));
        let (plan, unit) = (Plan::new(&self.root, phases::MADE_BY), self.unit.clone());
        let task = tokio::spawn(async move {
            let (sender, mut received) = unbounded_channel();
            let forwarded = events.clone();
            let forward = tokio::spawn(async move {
                while let Some(event) = received.recv().await {
                    let _ = forwarded.send(event);
                }
            });
            let end = match access.extract(&days, (&index, &unit), plan, &sender).await {
                Ok(Plan { skipped_existing, failures, .. }) => PhaseEvent::Finished { skipped_existing, failures },
                Err(error) => PhaseEvent::Finished { skipped_existing: 0, failures: vec![error.to_string()] },
            };
            drop(sender);
            let _ = forward.await;
            let _ = events.send(end);
        });
        self.tasks.borrow_mut().push(task);
    }
}

/// Shows the screens until the user leaves.
pub(super) fn show(journal: &Journal, source: &dyn Source, made_by: &str, with_today: bool) -> Result<Exit> {
    let (sender, events) = channel();
    source.start(sender);
    let keys = Keys { journal, source, with_today, exit: RefCell::new(Exit::Ok) };
    let screens = run(Plan::new(journal.graph.root(), made_by), events, &keys)?;
    output::note(screens.written().unwrap_or("nothing was written"));
    let failures = &screens.plan().failures;
    for failure in failures {
        output::note(failure);
    }
    Ok(match keys.exit.into_inner() {
        Exit::Ok if !failures.is_empty() => Exit::Partial,
        exit => exit,
    })
}

struct Keys<'a> {
    journal: &'a Journal,
    source: &'a dyn Source,
    with_today: bool,
    exit: RefCell<Exit>,
}

impl Actions for Keys<'_> {
    fn preview(&self, plan: &Plan) -> Result<String, String> {
        let (previews, not_made) = self.journal.preview(plan).map_err(|error| error.to_string())?;
        Ok(report::diffs(&previews, &not_made, plan))
    }

    fn write(&self, plan: &Plan) -> Result<String, String> {
        let applied = self.journal.apply(plan, self.with_today).map_err(|error| {
            *self.exit.borrow_mut() = Exit::Failed;
            error.to_string()
        })?;
        if report::has_failed(&applied) {
            *self.exit.borrow_mut() = Exit::Partial;
        }
        Ok(report::applied(&applied).trim_end().to_owned())
    }

    fn retry(&self) -> Receiver<PhaseEvent> {
        let (sender, events) = channel();
        self.source.start(sender);
        events
    }
}

/// The plan's `made_by` where no model is asked.
pub(super) const BY_RULES: &str = local::MADE_BY;
