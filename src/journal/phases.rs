//! The three phases through the gateway: classify, reword, integrate. Each is streamed, and complete lines are kept
//! even if the stream fails.
//!
//! Input: days and the graph. Output: events during the work, and the plan. Requests wait in one queue, those of an
//! earlier phase first. If a server refuses (401, 429, 500, 503), the plan records the failure; when the user retries,
//! only unanswered requests cost anything.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use aha_core::topic::BudgetTier;
use aha_journal::chunks::{Chunk, ContentRewordingChunk, IntegrationDecisionChunk, KnowledgeClassificationChunk};
use aha_journal::days::{Day, JournalBlock};
use aha_journal::decisions::take_over;
use aha_journal::events::PhaseEvent;
use aha_journal::local;
use aha_journal::plan::{Decision, Plan, PlanAction, PlannedBlock};
use aha_journal::prompts::{self, ShortIds};
use aha_llm::streaming::StreamEvent;
use aha_llm::tasks::journal::{CLASSIFY, INTEGRATE, JournalInput, REWORD, input};
use aha_llm::{Router, Task};
use aha_notes::knowledge::PageIndex;
use aha_store::StoreError;
use futures::StreamExt as _;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::failure;
use crate::app::App;

/// Candidate pages for a statement.
const CANDIDATE_PAGES: usize = 10;
/// The `made_by` of plans by models.
pub const MADE_BY: &str = "models";
/// Candidates retrieved per candidate used, so that linked pages are among them.
const OVERFETCH: usize = 3;

/// Why a plan is not complete that was begun before the process was asked to stop.
const STOPPED: &str =
    "the program was asked to stop; make the plan again, and only what was not answered costs anything";

/// Whether a line of an answer was used. The error is the reason why it is dropped.
type LineResult = Result<(), &'static str>;

const NOT_AS_AGREED: &str = "a field is missing, has the wrong type or is out of range";
const UNKNOWN_BLOCK: &str = "the block is not one of those to choose from";

/// The access to models, and its terms.
#[derive(Debug, Clone)]
pub struct ModelAccess {
    app: App,
    tier: BudgetTier,
    /// Ask again even if there is a stored answer.
    rejudge: bool,
}

/// A queued request. Those of earlier phases come first, then those with the lower index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum QueuedRequest {
    /// Index of the part.
    Classify(usize),
    Reword(usize),
    /// Index of the block in the plan.
    Integrate(usize),
}

impl ModelAccess {
    /// Uses the app's models and ledger.
    #[must_use]
    pub fn of(app: &App, tier: BudgetTier, rejudge: bool) -> Self {
        Self { app: app.clone(), tier, rejudge }
    }

    /// Returns whether a model is configured for every phase.
    #[must_use]
    pub fn has_models(router: &Router, tier: BudgetTier) -> bool {
        let has = |task: Task| !router.candidates(task, tier).is_empty();
        router.has_models() && [CLASSIFY, REWORD, INTEGRATE].into_iter().all(has)
    }

    /// Waits until every request that was sent is settled, so that its answer is stored and its cost known.
    pub async fn settled(&self) {
        self.app.gateway().wait_until_settled().await;
    }

    /// Makes a plan of the days. The receiver of the events may be dropped. Once the process was asked to stop, no
    /// further request is sent, and the plan says so.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn extract(
        &self,
        days: &[Day],
        (index, unit): (&PageIndex, &str),
        mut plan: Plan,
        events: &UnboundedSender<PhaseEvent>,
    ) -> Result<Plan, StoreError> {
        let parts: Vec<DayPart<'_>> = days.iter().flat_map(DayPart::of).collect();
        let run = Phases { access: self, days, index, indent_style: prompts::indent_style(unit), events };
        let mut queue: BinaryHeap<Reverse<QueuedRequest>> =
            (0..parts.len()).map(|part| Reverse(QueuedRequest::Classify(part))).collect();
        while let Some(Reverse(request)) = queue.pop() {
            if self.app.is_stopping() {
                plan.failures.push(STOPPED.to_owned());
                break;
            }
            match request {
                QueuedRequest::Classify(part) => {
                    run.classify(&parts[part], &mut plan).await?;
                    queue.push(Reverse(QueuedRequest::Reword(part)));
                }
                QueuedRequest::Reword(part) => {
                    queue.extend(run.reword(&parts[part], &mut plan).await?.into_iter().map(Reverse));
                }
                QueuedRequest::Integrate(block) => run.integrate(block, &mut plan).await?,
            }
        }
        Ok(plan)
    }
}

/// The blocks of a day that are sent in one request.
struct DayPart<'a> {
    day: &'a Day,
    /// The day's name, and the place of the part if there are several.
    name: String,
    /// Indexes of the day's blocks.
    range: Range<usize>,
    /// Those that may contain knowledge.
    blocks: Vec<JournalBlock>,
}

impl<'a> DayPart<'a> {
    fn of(day: &'a Day) -> Vec<Self> {
        let (ranges, blocks) = (prompts::day_parts(day), day.blocks());
        let count = ranges.len();
        let part = |(at, range): (usize, Range<usize>)| Self {
            day,
            name: if count == 1 {
                day.page.name.clone()
            } else {
                format!("{}, part {} of {count}", day.page.name, at + 1)
            },
            blocks: blocks.iter().filter(|block| range.contains(&block.index)).cloned().collect(),
            range,
        };
        ranges.into_iter().enumerate().map(part).collect()
    }
}

struct Phases<'a> {
    access: &'a ModelAccess,
    days: &'a [Day],
    index: &'a PageIndex,
    indent_style: String,
    events: &'a UnboundedSender<PhaseEvent>,
}

impl Phases<'_> {
    fn send(&self, event: PhaseEvent) {
        // The receiver may be gone.
        let _ = self.events.send(event);
    }

    /// Sends a request and passes on each line as it arrives; a line that is refused is logged with the reason. Returns
    /// whether the answer was complete; if not, the failure is added to `failures`.
    async fn ask(
        &self,
        (task, phase, num_blocks): (Task, &'static str, usize),
        about: String,
        material: String,
        failures: &mut Vec<String>,
        mut line: impl FnMut(&Value) -> LineResult,
    ) -> Result<bool, StoreError> {
        let (gateway, store) = (self.access.app.gateway(), self.access.app.store());
        let scope = gateway.standalone(task, self.access.tier);
        let scope = aha_llm::CallScope { rejudge: self.access.rejudge, ..scope };
        let input = input(task, JournalInput { indent_style: self.indent_style.clone(), material }).about(num_blocks);
        self.send(PhaseEvent::RequestSent { phase, about: about.clone() });
        let mut stream = gateway.stream(store, scope, input);
        while let Some(event) = stream.next().await {
            match event? {
                StreamEvent::Line(object) => {
                    let object = Value::Object(object);
                    if let Err(reason) = line(&object) {
                        tracing::warn!(event = "dropped_line", phase, line = %object, reason);
                    }
                }
                StreamEvent::BadLine { line, error } => {
                    tracing::error!(event = "malformed_json_line", phase, line, error);
                }
                StreamEvent::Retry { after, reason, .. } => {
                    tracing::warn!(event = "llm_request_retry", phase, error = %reason, delay = after.as_secs_f64());
                    self.send(PhaseEvent::Retried { phase, reason });
                }
                StreamEvent::Finished(answer) => {
                    let Some(failure) = answer.failure else { return Ok(true) };
                    let reason = failure::in_words(phase, &about, &failure);
                    failures.push(reason.clone());
                    self.send(PhaseEvent::Failed { phase, reason });
                    return Ok(false);
                }
                StreamEvent::Text(_) | StreamEvent::Void => {}
            }
        }
        Ok(false)
    }

    async fn classify(&self, part: &DayPart<'_>, plan: &mut Plan) -> Result<(), StoreError> {
        let DayPart { day, name, range, blocks } = part;
        let Some(date) = day.page.day.filter(|_| !blocks.is_empty()) else { return Ok(()) };
        let mut short = ShortIds::new('b');
        let material = prompts::day(day, range.clone(), &mut short);
        let mut failures = std::mem::take(&mut plan.failures);
        if material.chars().count() > prompts::MAX_DAY_CHARS {
            let reason = failure::too_long(name, &blocks[0].text, prompts::MAX_DAY_CHARS);
            failures.push(reason.clone());
            plan.failures = failures;
            self.send(PhaseEvent::Failed { phase: "classification", reason });
            return Ok(());
        }
        let mut found: Vec<PlannedBlock> = Vec::new();
        let line = |object: &Value| -> LineResult {
            let chunk = KnowledgeClassificationChunk::of(object).ok_or(NOT_AS_AGREED)?;
            let known = short.block(&chunk.block_id).and_then(|id| blocks.iter().find(|block| block.id == id));
            let block = known.ok_or(UNKNOWN_BLOCK)?;
            if found.iter().any(|other| other.block == block.id) {
                return Err("the block was named before");
            }
            let planned = local::planned(day, block, date, chunk.confidence, chunk.reason);
            self.send(PhaseEvent::BlockFound(planned.clone()));
            found.push(planned);
            Ok(())
        };
        self.ask((CLASSIFY, "classification", blocks.len()), name.clone(), material, &mut failures, line).await?;
        plan.failures = failures;
        found.sort_by_key(|planned| blocks.iter().position(|block| block.id == planned.block));
        plan.blocks.extend(found);
        Ok(())
    }

    /// Rewords the part's blocks and returns the next requests: one for each reworded block.
    async fn reword(&self, part: &DayPart<'_>, plan: &mut Plan) -> Result<Vec<QueuedRequest>, StoreError> {
        let is_of_part = |planned: &PlannedBlock| {
            planned.file == part.day.file && part.blocks.iter().any(|block| block.id == planned.block)
        };
        let wanted: Vec<&PlannedBlock> = plan.blocks.iter().filter(|planned| is_of_part(planned)).collect();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let mut short = ShortIds::new('b');
        let material = prompts::blocks(self.days, &wanted, &mut short);
        let mut texts: Vec<(String, String)> = Vec::new();
        let mut failures = std::mem::take(&mut plan.failures);
        let line = |object: &Value| -> LineResult {
            let chunk = ContentRewordingChunk::of(object).ok_or(NOT_AS_AGREED)?;
            let id = short.block(&chunk.block_id).ok_or(UNKNOWN_BLOCK)?;
            let block = wanted.iter().find(|block| block.block == id).ok_or(UNKNOWN_BLOCK)?;
            let source = format!("{} {}", block.above.join(" "), block.text);
            let text = prompts::unescaped(&chunk.reworded_content, &source);
            self.send(PhaseEvent::Reworded { block: id.to_owned(), text: text.clone() });
            texts.push((id.to_owned(), text));
            Ok(())
        };
        self.ask((REWORD, "rewording", wanted.len()), part.name.clone(), material, &mut failures, line).await?;
        plan.failures = failures;
        let mut next = Vec::new();
        for (at, block) in plan.blocks.iter_mut().enumerate().filter(|(_, block)| is_of_part(block)) {
            if let Some((_, text)) = texts.iter().rev().find(|(id, _)| *id == block.block) {
                block.reworded.clone_from(text);
                next.push(QueuedRequest::Integrate(at));
            } else {
                block.apply = false;
                block.note = Some("it was not reworded".to_owned());
                self.send(PhaseEvent::TargetsFound(block.clone()));
            }
        }
        Ok(next)
    }

    async fn integrate(&self, at: usize, plan: &mut Plan) -> Result<(), StoreError> {
        let Some(block) = plan.blocks.get(at).cloned() else { return Ok(()) };
        let mut candidates = local::candidates(self.index, &block, CANDIDATE_PAGES * OVERFETCH);
        candidates.truncate(CANDIDATE_PAGES);
        if let Some(block) = plan.blocks.get_mut(at)
            && local::resume(self.index, &candidates, block)
        {
            self.send(PhaseEvent::TargetsFound(block.clone()));
            return Ok(());
        }
        let pages = candidates.iter().filter_map(|found| self.index.pages().get(found.page));
        let pages: Vec<_> = pages.map(|page| (page.name.as_str(), &page.document)).collect();
        let (mut proposed, mut has_lines): (Vec<Decision>, bool) = (Vec::new(), false);
        let mut is_whole = true;
        if !pages.is_empty() {
            let (mut short, mut targets) = (ShortIds::new('b'), ShortIds::new('t'));
            let max_chars = INTEGRATE.spec().limits.input_chars;
            let material = prompts::integration(self.days, &block, &pages, max_chars, &mut short, &mut targets);
            let mut failures = std::mem::take(&mut plan.failures);
            let line = |object: &Value| -> LineResult {
                has_lines = true;
                let chunk = IntegrationDecisionChunk::of(object).ok_or(NOT_AS_AGREED)?;
                if short.block(&chunk.knowledge_block_id) != Some(block.block.as_str()) {
                    return Err(UNKNOWN_BLOCK);
                }
                proposed.push(decision(chunk, &pages, &targets)?);
                Ok(())
            };
            let about: String = block.reworded.chars().take(60).collect();
            is_whole = self.ask((INTEGRATE, "integration", 1), about, material, &mut failures, line).await?;
            plan.failures = failures;
        }
        let Some(block) = plan.blocks.get_mut(at) else { return Ok(()) };
        let is_unusable = has_lines && proposed.is_empty();
        plan.skipped_existing += take_over(block, proposed);
        if is_unusable {
            block.note = Some("nothing in the model's answer can be used; dropped_line in the log says why".to_owned());
        }
        // After an incomplete stream it is unknown whether a page already contains the statement.
        if !is_whole {
            block.apply = false;
            block.note = Some("its places are not all known".to_owned());
        }
        self.send(PhaseEvent::TargetsFound(block.clone()));
        Ok(())
    }
}

/// Converts a model's proposal, with the graph's ids. The error is the reason why it cannot be used.
fn decision(
    chunk: IntegrationDecisionChunk,
    pages: &[(&str, &aha_notes::Document)],
    targets: &ShortIds,
) -> Result<Decision, &'static str> {
    let wanted = chunk.target_page.trim();
    let named = |wanted: &str| pages.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
    let page = named(wanted).or_else(|| named(&prompts::unescaped(wanted, "")));
    let (name, document) = page.ok_or("the page is not one of those to choose from")?;
    let target = match (chunk.action, &chunk.target_block_id) {
        (PlanAction::AddSection, _) | (PlanAction::SkipExists, None) => None,
        (_, short) => {
            let id = short.as_deref().and_then(|short| targets.block(short)).ok_or(UNKNOWN_BLOCK)?;
            Some((id.to_owned(), document.find(name, id).ok_or("the block is not on the page")?))
        }
    };
    let target_text = target.as_ref().map(|(_, index)| document.block_text(*index));
    let source = target_text.clone().unwrap_or_default();
    Ok(Decision {
        target_page: (*name).to_owned(),
        is_new_page: false,
        action: chunk.action,
        target_block_title: chunk.target_block_title.map(|title| prompts::unescaped(&title, &source)),
        target_text,
        target_block_id: target.map(|(id, _)| id),
        confidence: chunk.confidence,
        reasoning: chunk.reasoning,
        apply: false,
    })
}
