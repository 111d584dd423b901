//! Reads a sentence clause by clause, each in the context of the clauses before it.
//!
//! Input: the words of a sentence. Output: its [`Reading`]. Called by [`super::read`].

use std::collections::VecDeque;

use chrono::NaiveDate;

use super::clauses::split::{clauses, split_at_task};
use super::commands::command::Command;
use super::commands::interpret::command;
use super::operations::change::Changes;
use super::text::courtesy;
use super::text::past_forms::presents;
use super::text::phrases::{after_any, around, has_any, without_marks};
use super::text::tokens::Token;
use super::text::vocabulary::begins_with_task_verb;
use super::values::when::When;
use super::{ClauseContext, Question, Reader, Reading};
use crate::matching::ClarifyOption;
use crate::operation::{Action, Operation};
use crate::record::Kind;

/// A longer clause is read once: neither in parts nor with the options of its question, since each reading takes long.
const MAX_REREAD_WORDS: usize = 30;

/// State of reading a sentence, after some of its clauses.
#[derive(Debug, Clone, Default)]
struct ParseProgress {
    operations: Vec<Operation>,
    /// Whether a clause before was a todo, so that "and cancel the card" may be another one.
    follows_todo: bool,
    /// Whether the clause before reports something done.
    follows_completion: bool,
    /// Number of completions at the end of `operations` that have no day yet.
    undated_completions: usize,
    unclear: Vec<UnclearClause>,
    /// Whether the clause before was not understood, so that "make it urgent" is not about the operation before that.
    follows_unclear: bool,
}

/// A clause that was not understood.
#[derive(Debug, Clone)]
struct UnclearClause {
    text: String,
    question: String,
    /// Whether it contains a word that may take back or restrict another clause.
    may_take_back: bool,
}

/// Words in a clause that may take back or restrict what the clauses before it say.
const TAKING_BACK: &str = "no|not|don't|wait|actually|never|nevermind|undo|rather|keep|stop|forget|otherwise|unless|\
    if|maybe|instead|oops|sorry|mistake|except|kidding|joking|wrong";

impl Reader<'_> {
    /// Reads the clauses in turn. A clause that is not understood does not affect the others, unless one of its
    /// question's options answers it: then that question comes first, since the answer completes the plan.
    pub(super) fn read(mut self, tokens: &[Token]) -> Reading {
        let found = clauses(tokens);
        if found.is_empty() && tokens.iter().any(|token| !token.is_mark()) {
            // The sentence contains only courtesies.
            return Reading::Chat;
        }
        self.is_only_clause = found.len() == 1;
        let mut progress = ParseProgress::default();
        let mut pending: VecDeque<&[Token]> = found.into();
        while let Some(clause) = pending.pop_front() {
            if pending.front().is_some_and(|next| self.introduces(clause, next)) {
                continue;
            }
            let plain_clause = courtesy::plain(clause);
            let ordered = self.in_order(plain_clause);
            if self.amends(&ordered, &mut progress) {
                continue;
            }
            let read = self.interpret(tokens, plain_clause, &ordered, &mut progress);
            if read.is_none() && progress.unclear.is_empty() {
                return Reading::Chat;
            }
            let Some(Err(question)) = read else { continue };
            if let Some([first, second]) = self.separate(clause) {
                self.is_only_clause = false;
                pending.push_front(second);
                pending.push_front(first);
                continue;
            }
            let options = self.answering(&question, tokens, plain_clause, &progress);
            if !options.is_empty() {
                return Reading::Clarify(self.about(plain_clause, &question.question, options));
            }
            self.leave_unclear(clause, question, &mut progress);
        }
        if progress.unclear.is_empty() { self.plan(progress.operations) } else { self.partly(progress) }
    }

    /// Returns whether the clause only introduces the next one, as its reason or by naming the record.
    fn introduces(&mut self, clause: &[Token], next: &[Token]) -> bool {
        if let Some(id) = self.mentioned(clause, next) {
            self.context.previous_id = Some(id);
            return true;
        }
        let Some(reason) = self.reason(clause, next) else { return false };
        self.context.previous_id = reason.named.or(self.context.previous_id);
        self.context.mentioned_id = reason.named;
        true
    }

    /// Applies the clause to the record that the clause before creates. Returns whether it was such an addition.
    fn amends(&self, clause: &[Token], progress: &mut ParseProgress) -> bool {
        let is_next = !progress.follows_unclear;
        progress.operations.last_mut().filter(|_| is_next).is_some_and(|last| self.amend(clause, last))
    }

    /// Interprets a clause and appends its operations. Returns `None` if it is only talk and no clause before it made
    /// an operation. `sentence` contains all words, `clause` those of `plain_clause` in the order of a command.
    fn interpret(
        &mut self,
        sentence: &[Token],
        plain_clause: &[Token],
        clause: &[Token],
        progress: &mut ParseProgress,
    ) -> Option<Result<(), Question>> {
        let (progress_before, context_before) = (progress.clone(), self.context);
        let made = match self.refusal(plain_clause) {
            Some(question) => Err(question),
            None => self.clause(clause, progress)?,
        };
        let taken = made.and_then(|made| {
            self.check_one_or_all(plain_clause, &made)?;
            self.check_new_change(plain_clause, &made)?;
            self.check_certain(sentence, plain_clause, &made)?;
            self.check_meant(plain_clause, &made)?;
            self.check_direction(plain_clause, &made)?;
            self.take_in(clause, made, progress)
        });
        if taken.is_ok() {
            progress.follows_unclear = false;
        } else {
            // The clause is read again, in parts or with a selection, in the context of the clauses before it.
            (*progress, self.context) = (progress_before, context_before);
        }
        Some(taken)
    }

    /// Returns the question about a clause that asks for no change that a sentence can make.
    fn refusal(&self, clause: &[Token]) -> Option<Question> {
        const UNDOING: &str = "undo|undo that|undo it|undo the last change|undo my last change|undo the last one|\
            revert that|take that back|take it back";
        if after_any(clause, UNDOING).is_some_and(<[Token]>::is_empty) {
            let text = "A sentence takes no change back. Undo the last one with `aha-radar todo undo`, or with \"Undo it\" \
                        on the page after the change.";
            return Some(Question::new(text, Vec::new()));
        }
        if forbids_change(clause) {
            let text = format!("\"{}\" asks for nothing to be changed. What should be planned?", self.text(clause));
            return Some(Question::new(&text, Vec::new()));
        }
        is_not_done(clause).then(|| self.ask_what(&self.text(clause)))
    }

    /// Splits a clause that makes no sense as a whole before another thing to do, if a command or a thing to do is
    /// before it: "Sara said she would cook and clean the kitchen" is talk. In "call the bank and buy milk tomorrow" the
    /// day is about both parts, so they stay together.
    fn separate<'t>(&self, clause: &'t [Token]) -> Option<[&'t [Token]; 2]> {
        let parts = split_at_task(clause).filter(|_| clause.len() <= MAX_REREAD_WORDS)?;
        let before = courtesy::plain(parts[0]);
        let is_task = begins_with_task_verb(before);
        let is_chat = matches!(
            command(before, self.today),
            Command::Create { certain: false, .. } | Command::Unclear | Command::Chat
        );
        let [first, second] = parts.map(|part| When::read(part, self.today).has_schedule());
        let shares_day = is_task && !first && second;
        ((is_task || !is_chat) && !shares_day).then_some(parts)
    }

    /// Returns those options of a question that answer it when the user selects them.
    fn answering(
        &self,
        question: &Question,
        sentence: &[Token],
        plain_clause: &[Token],
        progress: &ParseProgress,
    ) -> Vec<ClarifyOption> {
        if plain_clause.len() > MAX_REREAD_WORDS {
            return question.options.clone();
        }
        let answers = |option: &&ClarifyOption| {
            let mut selection = self.selection.clone();
            selection.ids.push(option.id);
            let mut reader: Reader<'_> = *self;
            reader.selection = &selection;
            let clause = reader.in_order(plain_clause);
            let again = reader.interpret(sentence, plain_clause, &clause, &mut progress.clone());
            !matches!(again, Some(Err(same)) if same.question == question.question)
        };
        question.options.iter().filter(answers).cloned().collect()
    }

    /// Returns a question about one clause, which is named if the sentence has several.
    fn about(&self, clause: &[Token], question: &str, options: Vec<ClarifyOption>) -> Question {
        if self.is_only_clause {
            return Question::new(question, options);
        }
        Question::new(&format!("About \"{}\": {question}", self.as_said(clause)), options)
    }

    /// Returns the words of a clause that are in the sentence, without the day that a list shares.
    fn as_said(&self, clause: &[Token]) -> String {
        let said: Vec<Token> = clause.iter().filter(|word| !word.is_made()).cloned().collect();
        self.text(&said)
    }

    /// Notes that a clause was not understood. What follows it cannot refer to the clauses before.
    fn leave_unclear(&mut self, clause: &[Token], question: Question, progress: &mut ParseProgress) {
        progress.unclear.push(UnclearClause {
            text: self.as_said(courtesy::plain(clause)),
            question: question.question,
            may_take_back: has_any(clause, TAKING_BACK) || deletes_pronoun(clause),
        });
        progress.follows_unclear = true;
        (progress.follows_todo, progress.follows_completion, progress.undated_completions) = (false, false, 0);
        self.context = ClauseContext::default();
    }

    /// Returns the questions about the unclear clauses, with the operations of the others.
    fn partly(&self, progress: ParseProgress) -> Reading {
        let named = |unclear: &UnclearClause| {
            if self.is_only_clause {
                return unclear.question.clone();
            }
            format!("Not planned: \"{}\". {}", unclear.text, unclear.question)
        };
        let text = progress.unclear.iter().map(named).collect::<Vec<_>>().join(" ");
        let may_take_back = progress.unclear.iter().any(|unclear| unclear.may_take_back);
        let understood = match self.plan(progress.operations) {
            Reading::Plan(operations) if !may_take_back => operations,
            _ => Vec::new(),
        };
        Reading::Clarify(Question { understood, ..Question::new(&text, Vec::new()) })
    }

    /// Interprets one clause. Returns `None` if it is only talk and no clause before it made an operation.
    fn clause(&self, clause: &[Token], progress: &mut ParseProgress) -> Option<Changes> {
        if let Some(changes) = self.end_of_repetition(clause).or_else(|| self.goal_change(clause)) {
            return Some(changes);
        }
        let command = command(clause, self.today);
        if command == Command::Chat && progress.operations.is_empty() {
            return None;
        }
        let follows_todo = progress.follows_todo && !progress.operations.is_empty();
        progress.follows_todo |= matches!(command, Command::Create { kind: Some(Kind::Todo), certain: true, .. });
        Some(self.operations(clause, command, follows_todo, progress.follows_completion))
    }

    /// Appends the operations of a clause to those of the clauses before it.
    fn take_in(
        &mut self,
        clause: &[Token],
        made: Vec<Operation>,
        progress: &mut ParseProgress,
    ) -> Result<(), Question> {
        self.context.previous_id = made.last().and_then(|operation| operation.id);
        self.context.mentioned_id = None;
        let day = self.day_done(clause, &made);
        progress.follows_completion = !made.is_empty() && made.iter().all(is_completion);
        if !progress.follows_completion {
            progress.undated_completions = 0;
        } else if let Some(day) = day {
            let start = progress.operations.len() - progress.undated_completions;
            self.share_day(&mut progress.operations[start..], day)?;
            progress.undated_completions = 0;
            self.context.completion_day = Some(day);
        }
        for operation in made {
            // "Tom called off our meeting, delete it" asks for the same twice.
            if operation.id.is_none() || !progress.operations.contains(&operation) {
                progress.undated_completions +=
                    usize::from(progress.follows_completion && day.is_none() && self.context.completion_day.is_none());
                progress.operations.push(operation);
            }
        }
        if !progress.follows_completion {
            self.context.completion_day = None;
        }
        Ok(())
    }

    /// Returns the day of the completions in a clause, if it names exactly one.
    fn day_done(&self, clause: &[Token], made: &[Operation]) -> Option<NaiveDate> {
        let when = When::read(clause, self.today);
        let used = clause.iter().zip(&when.used).filter(|(_, used)| **used);
        let words: Vec<Token> = used.map(|(word, _)| word.clone()).collect();
        let day = self.past_day(when.date?, &words);
        let is_of_day = |one: &Operation| is_completion(one) && one.occurrence_date.is_none_or(|known| known == day);
        made.iter().all(is_of_day).then_some(day)
    }
}

/// Matches "cancel that", "delete it".
fn deletes_pronoun(clause: &[Token]) -> bool {
    let rest = after_any(courtesy::plain(clause), "cancel|delete|remove|drop|scrap|scratch|strike|erase|discard|ditch");
    let rest = rest.map(without_marks);
    matches!(rest, Some([one]) if one.is_one_of("it|that|this|them|those|these|everything|all"))
}

fn is_completion(operation: &Operation) -> bool {
    matches!(operation.action, Action::Complete | Action::CompleteOccurrence) && operation.completed.is_none()
}

/// Matches what was not done, or not yet: "I should have paid the rent", "didn't call Ann".
fn is_not_done(clause: &[Token]) -> bool {
    const UNREAL: &str = "should have|should've|could have|could've|would have|would've|will have|might have|\
        may have|i wish i'd|i wish i had|wish i'd|wish i had";
    const DENIED: &str = "didn't|did not|haven't|have not|i didn't|i did not|i haven't|i have not|we didn't|we haven't";
    let is_past = |rest: &[Token]| rest.first().is_some_and(|verb| !verb.quoted && !presents(&verb.lower).is_empty());
    let unreal = around(clause, UNREAL).is_some_and(|(before, rest)| before.len() < 3 && is_past(rest));
    unreal || after_any(clause, DENIED).is_some()
}

/// Matches "do not delete the milk", "never move it", which neither change a record nor are a thing to do.
fn forbids_change(clause: &[Token]) -> bool {
    const CHANGING: &str =
        "delete|remove|cancel|move|shift|push|postpone|reschedule|rename|complete|mark|tick|change|add";
    let rest = after_any(clause, "do not|don't|dont|never|please do not|please don't");
    rest.and_then(<[Token]>::first).is_some_and(|verb| verb.is_one_of(CHANGING))
}
