//! Filters an answer in plain text as it streams in: removes the model's thinking and the tags that some models put
//! around their answer.

/// Tags around the thinking text that precedes an answer. Some models omit the opening tag because their prompt template
/// already contains it.
pub(super) const THINKING_TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];
const RESPONSE: (&str, &str) = ("<response>", "</response>");

/// The result of a piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TextEvent {
    /// More of the answer.
    More(String),
    /// The text so far was thinking, not an answer. This happens when the opening tag is part of the model's prompt
    /// template.
    Void,
}

/// Collects pieces of text and passes on those that belong to the answer.
#[derive(Debug, Default)]
pub(crate) struct TextFilter {
    state: State,
    /// Not classified yet.
    held: String,
    /// The whole answer so far.
    text: String,
    /// Whether the answer quotes an opening thinking tag. A closing tag then ends no thinking.
    quotes_thinking: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// No text of the answer has arrived.
    #[default]
    Start,
    /// Inside thinking text that this tag ends.
    Thinking(&'static str),
    /// Inside the answer; `true` if it is enclosed in tags.
    Answer(bool),
    /// After the tag that ends the answer.
    End,
}

impl TextFilter {
    pub(crate) fn push(&mut self, piece: &str) -> Vec<TextEvent> {
        self.held.push_str(piece);
        let mut events = Vec::new();
        while self.step(&mut events) {}
        events
    }

    /// Returns the remaining text at the end of the stream.
    pub(crate) fn finish(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.held);
        let rest = match self.state {
            State::Start | State::Answer(_) => rest,
            State::Thinking(_) | State::End => String::new(),
        };
        let rest = if self.text.is_empty() { rest.trim_start() } else { &rest }.to_owned();
        self.text.push_str(&rest);
        (!rest.is_empty()).then_some(rest)
    }

    /// Returns whether the answer may end here: neither thinking text nor a tag is open.
    pub(crate) fn may_end(&self) -> bool {
        match self.state {
            State::Start => self.held.trim().is_empty(),
            State::Answer(is_tagged) => !is_tagged && self.held.is_empty(),
            State::Thinking(_) => false,
            State::End => true,
        }
    }

    /// Returns the whole answer received so far.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Classifies as much text as possible. Returns whether to call it again.
    fn step(&mut self, events: &mut Vec<TextEvent>) -> bool {
        match self.state {
            State::Start => self.start_answer(),
            State::Thinking(close) => self.skip_thinking(close),
            State::Answer(is_tagged) => self.answer(is_tagged, events),
            State::End => {
                self.held.clear();
                false
            }
        }
    }

    fn start_answer(&mut self) -> bool {
        self.held.drain(..self.held.len() - self.held.trim_start().len());
        if let Some((open, close)) = THINKING_TAGS.iter().find(|(open, _)| self.held.starts_with(open)) {
            self.held.drain(..open.len());
            self.state = State::Thinking(close);
            return true;
        }
        if self.held.starts_with(RESPONSE.0) {
            self.held.drain(..RESPONSE.0.len());
            self.held.drain(..self.held.len() - self.held.trim_start().len());
            self.state = State::Answer(true);
            return true;
        }
        let mut opening = THINKING_TAGS.iter().map(|(open, _)| *open).chain([RESPONSE.0]);
        if opening.any(|tag| tag.starts_with(self.held.as_str())) {
            return false;
        }
        self.state = State::Answer(false);
        true
    }

    fn skip_thinking(&mut self, close: &str) -> bool {
        let Some(at) = self.held.find(close) else {
            // Keeps only what may be the beginning of the tag.
            let keep = tag_prefix_length(&self.held, &[close]);
            self.held.drain(..self.held.len() - keep);
            return false;
        };
        self.held.drain(..at + close.len());
        self.state = State::Start;
        true
    }

    fn answer(&mut self, is_tagged: bool, events: &mut Vec<TextEvent>) -> bool {
        if self.text.is_empty() {
            self.held.drain(..self.held.len() - self.held.trim_start().len());
        }
        let ends_thinking =
            |text: &str| THINKING_TAGS.iter().filter_map(|(_, close)| Some((text.find(close)?, close.len()))).min();
        self.quotes_thinking |= THINKING_TAGS.iter().any(|(open, _)| self.held.contains(open));
        if !is_tagged
            && !self.quotes_thinking
            && let Some((at, length)) = ends_thinking(&self.held)
        {
            self.held.drain(..at + length);
            if !self.text.is_empty() {
                self.text.clear();
                events.push(TextEvent::Void);
            }
            self.state = State::Start;
            return true;
        }
        if is_tagged && let Some(at) = self.held.find(RESPONSE.1) {
            let last = self.held[..at].trim_end().to_owned();
            self.emit(last, events);
            self.state = State::End;
            return true;
        }
        let tags = [THINKING_TAGS[0].0, THINKING_TAGS[0].1, THINKING_TAGS[1].0, THINKING_TAGS[1].1, RESPONSE.1];
        let mut ready = self.held.len() - tag_prefix_length(&self.held, &tags);
        if is_tagged {
            // Whitespace before the closing tag is not part of the answer.
            ready = self.held[..ready].trim_end().len();
        }
        let ready = self.held.drain(..ready).collect();
        self.emit(ready, events);
        false
    }

    fn emit(&mut self, text: String, events: &mut Vec<TextEvent>) {
        if !text.is_empty() {
            self.text.push_str(&text);
            events.push(TextEvent::More(text));
        }
    }
}

/// Returns the number of bytes at the end of a text that may become one of the tags.
fn tag_prefix_length(text: &str, tags: &[&str]) -> usize {
    let Some(at) = text.rfind('<') else { return 0 };
    let tail = &text[at..];
    if tags.iter().any(|tag| tag.starts_with(tail)) { tail.len() } else { 0 }
}

/// Returns the answer in a complete text.
pub(crate) fn filter_text(text: &str) -> String {
    let mut filter = TextFilter::default();
    filter.push(text);
    filter.finish();
    filter.text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the text that a reader sees who discards void text.
    fn shown(pieces: &[&str]) -> String {
        let (mut filter, mut shown) = (TextFilter::default(), String::new());
        for event in pieces.iter().flat_map(|piece| filter.push(piece)) {
            match event {
                TextEvent::More(text) => shown.push_str(&text),
                TextEvent::Void => shown.clear(),
            }
        }
        shown.extend(filter.finish());
        assert_eq!(shown, filter.text());
        shown
    }

    #[test]
    fn thoughts_and_tags_are_no_part_of_the_answer_wherever_they_are_cut() {
        for (text, answer) in [
            ("Just words.", "Just words."),
            ("\n<think>Hm < 3?</think>\n\nThe sea.", "The sea."),
            ("<thinking>a</think>b</thinking>The sea.", "The sea."),
            ("<think>a</think><think>b</think> The sea.", "The sea."),
            ("<think>a</think><response>\nThe sea.\n</response>\nbye", "The sea."),
            ("Perhaps the sky.</think>\n\nThe sea.", "The sea."),
            ("A <think> tag ends with </think>, as you know.", "A <think> tag ends with </think>, as you know."),
            ("1 < 2 and <b>bold</b>", "1 < 2 and <b>bold</b>"),
            ("<think>It never ends", ""),
            ("<thi", "<thi"),
            ("", ""),
        ] {
            for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
                assert_eq!(shown(&[&text[..cut], &text[cut..]]), answer, "{text} cut at {cut}");
            }
            let single: Vec<String> = text.chars().map(String::from).collect();
            assert_eq!(shown(&single.iter().map(String::as_str).collect::<Vec<_>>()), answer, "{text}");
            assert_eq!(filter_text(text), answer);
        }
    }

    #[test]
    fn an_answer_does_not_end_within_thinking_or_a_tag() {
        for (text, may_end) in [
            ("", true),
            ("The sea.\n", true),
            ("<think>Hm.</think>\nThe sea.", true),
            ("<response>The sea.</response>", true),
            ("<think>Hm", false),
            ("<thi", false),
            ("<response>The sea.", false),
            ("The sea.</resp", false),
        ] {
            let mut filter = TextFilter::default();
            filter.push(text);
            assert_eq!(filter.may_end(), may_end, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_pieces_make_it_panic_and_words_without_tags_stay(pieces in prop::collection::vec("[a<>/thinkresponse é]{0,9}", 0..9), plain in "[a-zé .]{1,40}") {
            let _ = shown(&pieces.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert_eq!(filter_text(&plain), plain.trim());
        }
    }
}
