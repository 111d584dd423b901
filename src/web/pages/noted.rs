//! The effect of feedback, in words and as a query parameter, which is shown after the redirect: no state is kept
//! between requests.

use aha_core::feedback::FeedbackKind;

use super::super::Failure;
use super::story_feedback::BUTTONS;
use crate::services::feedback::FeedbackChange;

/// Parses the kind of feedback from a form or an address.
pub(in super::super) fn kind(text: &str) -> Result<FeedbackKind, Failure> {
    let wrong = || Failure::invalid("kind", "it is like, dislike, save, skip or read");
    BUTTONS.into_iter().map(|(kind, ..)| kind).find(|kind| kind.as_str() == text).ok_or_else(wrong)
}

/// Describes the effect.
pub(in super::super) fn in_words(change: &FeedbackChange, is_undo: bool) -> String {
    if change.changed {
        return message(change.kind, change.withdrawn, change.effect_points.unwrap_or_default(), is_undo);
    }
    if is_undo { "There was nothing to undo." } else { "It was noted before, and counts once." }.to_owned()
}

fn message(kind: FeedbackKind, withdrawn: Option<FeedbackKind>, points: f64, is_undo: bool) -> String {
    let done = match kind {
        _ if is_undo => "Removed",
        FeedbackKind::Save => "Saved",
        FeedbackKind::Read => "Marked as read",
        FeedbackKind::Like | FeedbackKind::Dislike | FeedbackKind::Skip => "Noted",
    };
    let done = match withdrawn {
        Some(FeedbackKind::Save) => format!("{done}, and it is no longer among Saved"),
        Some(other) => format!("{done} in the place of “{}”", name_of(other)),
        None => done.to_owned(),
    };
    // An effect below a tenth of a point is not shown.
    if points.abs() < 0.05 {
        return format!("{done}.");
    }
    // What is taken back is a part of the score; nothing is subtracted from it.
    let (verb, points) = if is_undo { ("no longer gets", -points) } else { ("gets", points) };
    format!("{done}; from the next digest on, a story like this {verb} {points:+.1} points.").replace('-', "−")
}

/// Returns the name of a kind's button.
fn name_of(kind: FeedbackKind) -> &'static str {
    BUTTONS.into_iter().find(|(of, ..)| *of == kind).map_or("", |(_, name, ..)| name)
}

/// Adds the effect to a path: `?noted=STORY,KIND,POINTS`, with `undo` at the end if feedback was removed, or with the
/// kind that it replaced.
pub(super) fn in_address(path: &str, story: &str, change: &FeedbackChange, is_undo: bool) -> String {
    let (path, fragment) = path.split_once('#').unwrap_or((path, ""));
    let Some(points) = change.effect_points else { return format!("{path}#{fragment}") };
    let separator = if path.contains('?') { '&' } else { '?' };
    let end = match change.withdrawn {
        _ if is_undo => ",undo".to_owned(),
        Some(withdrawn) => format!(",{}", withdrawn.as_str()),
        None => String::new(),
    };
    format!("{path}{separator}noted={story},{},{points:.1}{end}#{fragment}", change.kind.as_str())
}

/// The effect on a story according to an address; empty if it cannot be parsed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Noted {
    story: String,
    message: String,
}

impl Noted {
    pub(super) fn read(text: Option<&str>) -> Self {
        text.and_then(Self::parse).unwrap_or_default()
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(',');
        let (story, of_kind, points) = (parts.next()?, kind(parts.next()?).ok()?, parts.next()?.parse::<f64>().ok()?);
        let end = parts.next().unwrap_or_default();
        let (is_undo, withdrawn) = (end == "undo", kind(end).ok());
        let message = points.is_finite().then(|| message(of_kind, withdrawn, points.clamp(-100.0, 100.0), is_undo))?;
        Some(Self { story: story.to_owned(), message })
    }

    /// Returns the effect if it is about this story, else an empty text.
    pub(super) fn about(&self, story: &str) -> &str {
        if self.story == story { &self.message } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_was_noted_and_nothing_that_it_cannot() {
        let noted = Noted::read(Some("a-story,like,1.84"));
        assert_eq!(noted.about("a-story"), "Noted; from the next digest on, a story like this gets +1.8 points.");
        assert_eq!(noted.about("another"), "");
        let undone = Noted::read(Some("a-story,save,-2,undo"));
        assert_eq!(
            undone.about("a-story"),
            "Removed; from the next digest on, a story like this no longer gets +2.0 points."
        );
        let skipped = Noted::read(Some("a-story,skip,-2,save"));
        let expected =
            "Noted, and it is no longer among Saved; from the next digest on, a story like this gets −2.0 points.";
        assert_eq!(skipped.about("a-story"), expected);
        let disliked = Noted::read(Some("a-story,dislike,0.0,like"));
        assert_eq!(disliked.about("a-story"), "Noted in the place of “Like”.");
        let forgiven = Noted::read(Some("a-story,dislike,49.7,undo"));
        let expected = "Removed; from the next digest on, a story like this no longer gets −49.7 points.";
        assert_eq!(forgiven.about("a-story"), expected);
        for text in ["", "a", "a,adore,1", "a,like,much", "a,like,inf", "a,like,NaN"] {
            assert_eq!(Noted::read(Some(text)), Noted::default(), "{text}");
        }
    }
}
