//! What feedback has changed, in words; and in the address of a page that is loaded again after its form, as nothing is kept between requests.

use aha_core::feedback::FeedbackKind;

use super::super::Failure;
use super::said::BUTTONS;
use crate::services::feedback::FeedbackChange;

/// The kind of feedback that a form or an address names.
pub(in super::super) fn kind(text: &str) -> Result<FeedbackKind, Failure> {
    let wrong = || Failure::invalid("kind", "it is like, dislike, save, skip or read");
    BUTTONS.into_iter().map(|(kind, ..)| kind).find(|kind| kind.as_str() == text).ok_or_else(wrong)
}

/// What it changed.
pub(in super::super) fn in_words(change: &FeedbackChange, is_undo: bool) -> String {
    if change.changed {
        return message(change.kind, change.effect_points.unwrap_or_default(), is_undo);
    }
    if is_undo { "It had not been said." } else { "It had been said before, and counts once." }.to_owned()
}

fn message(kind: FeedbackKind, points: f64, is_undo: bool) -> String {
    let done = match kind {
        _ if is_undo => "Taken back",
        FeedbackKind::Save => "Saved",
        FeedbackKind::Read => "Marked as read",
        FeedbackKind::Like | FeedbackKind::Dislike | FeedbackKind::Skip => "Noted",
    };
    // Less than a tenth of a point is none.
    if points.abs() < 0.05 {
        return format!("{done}.");
    }
    format!("{done}; from the next digest on a story like this stands {points:+.1} points.").replace('-', "−")
}

/// A path that says what was changed of a story: `?noted=STORY,KIND,POINTS`, with `undo` at the end where it was taken back.
pub(super) fn in_address(path: &str, story: &str, change: &FeedbackChange, is_undo: bool) -> String {
    let (path, fragment) = path.split_once('#').unwrap_or((path, ""));
    let Some(points) = change.effect_points else { return format!("{path}#{fragment}") };
    let separator = if path.contains('?') { '&' } else { '?' };
    let undo = if is_undo { ",undo" } else { "" };
    format!("{path}{separator}noted={story},{},{points:.1}{undo}#{fragment}", change.kind.as_str())
}

/// What an address says of a story; nothing where it says nothing that can be read.
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
        let is_undo = parts.next() == Some("undo");
        let message = points.is_finite().then(|| message(of_kind, points.clamp(-100.0, 100.0), is_undo))?;
        Some(Self { story: story.to_owned(), message })
    }

    /// What was changed of this story just now.
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
        assert_eq!(noted.about("a-story"), "Noted; from the next digest on a story like this stands +1.8 points.");
        assert_eq!(noted.about("another"), "");
        let undone = Noted::read(Some("a-story,save,-2,undo"));
        assert_eq!(
            undone.about("a-story"),
            "Taken back; from the next digest on a story like this stands −2.0 points."
        );
        for text in ["", "a", "a,adore,1", "a,like,much", "a,like,inf", "a,like,NaN"] {
            assert_eq!(Noted::read(Some(text)), Noted::default(), "{text}");
        }
    }
}
