//! Extracts the further fields of a new record: location, notes, and the progress of a goal.
//!
//! Input: the words of a new record. Output: the words without these parts, and the parts. Called by [`super::create`].

use crate::language::text::numbers::figures;
use crate::language::text::phrases::{after_any, without_marks};
use crate::language::text::tokens::{Token, text_of};
use crate::operation::Operation;
use crate::record::Kind;

/// Nouns that introduce a location or notes, together with a punctuation mark.
const PLACES: &str = "location|venue|place|where|at the location|room|address|the venue is|the location is|it's at|\
    it's in|it's held at|\
    it's held in|it takes place at|it takes place in|held at|held in|takes place at|takes place in";
const NOTES: &str = "notes|note|details|description|with the note|with a note|comment|remark|with the comment|\
    with a note saying|with notes";
const TARGETS: &str =
    "with a target of|with the target of|the target is|target value|target of|target is|target|aiming for|aim";
const CURRENTS: &str = "at|currently at|i'm currently at|currently|i'm at|i am at|already at|now at|at the moment|\
    so far|\
    progress so far|\
    current progress|progress|starting at|starting from|already|done so far|current value|current";

/// The extracted fields.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    pub location: Option<String>,
    pub notes: Option<String>,
    pub target: Option<f64>,
    pub current: Option<f64>,
}

impl Extras {
    /// Extracts the fields from `words`; the progress only if `kind` is a goal.
    #[must_use]
    pub fn read(sentence: &str, words: &[Token], kind: Option<Kind>) -> (Vec<Token>, Self) {
        let mut extras = Self::default();
        let mut kept: Vec<Token> = Vec::new();
        for part in parts(words) {
            let content = without_marks(part);
            let taken = !kept.is_empty()
                && (extras.take_text(sentence, content) || (kind == Some(Kind::Goal) && extras.take_number(content)));
            if !taken {
                kept.extend_from_slice(part);
            }
        }
        (without_marks(&kept).to_vec(), extras)
    }

    fn take_text(&mut self, sentence: &str, content: &[Token]) -> bool {
        let (field, text) = match (after_any(content, PLACES), after_any(content, NOTES)) {
            // "Room 4" keeps its noun.
            (Some(text), _) if content[0].is("room") && !text.first().is_some_and(|next| next.is_one_of(":|is|=")) => {
                (&mut self.location, content)
            }
            (Some(text), _) => (&mut self.location, text),
            (None, Some(text)) => (&mut self.notes, text),
            (None, None) => return false,
        };
        let text = without_marks(after_any(text, "is|:|that|=").unwrap_or(text));
        let written = match text {
            [one] => one.text.clone(),
            words => text_of(sentence, words, |_| false),
        };
        if written.is_empty() || field.is_some() {
            return false;
        }
        *field = Some(written);
        true
    }

    fn take_number(&mut self, content: &[Token]) -> bool {
        let (field, rest) = match (after_any(content, TARGETS), after_any(content, CURRENTS)) {
            (Some(rest), _) => (&mut self.target, rest),
            (None, Some(rest)) => (&mut self.current, rest),
            (None, None) => return false,
        };
        let rest = after_any(rest, "is|:|of|at|to|=").unwrap_or(rest);
        let [number, ..] = rest else { return false };
        let value = figures(&number.lower, 9).filter(|_| rest.len() == 1).map(f64::from);
        *field = field.or(value);
        value.is_some()
    }

    pub fn put_on(&self, operation: &mut Operation) {
        if operation.kind == Kind::Event && self.location.is_some() {
            operation.location = Some(self.location.clone());
        }
        operation.notes = operation.notes.take().or_else(|| self.notes.clone());
        if operation.kind == Kind::Goal {
            operation.target_progress_value = self.target.map(Some);
            operation.current_progress_value = self.current.map(Some);
        }
    }
}

/// Splits the words at commas and similar marks. Each part begins with its mark.
fn parts(words: &[Token]) -> Vec<&[Token]> {
    let mut found = Vec::new();
    let mut start = 0;
    for at in 1..words.len() {
        let of_goal =
            after_any(&words[at..], "with a target of|with the target of|with target|with a target value of").is_some();
        if (words[at].is_one_of(",|;|(|-|–|—|.") || of_goal) && at > start {
            found.push(&words[start..at]);
            start = at;
        }
    }
    found.push(&words[start..]);
    found
}
