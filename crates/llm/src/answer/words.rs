//! An answer in words, as it comes: without the model's thoughts and without the tags that some models put around their answer.

/// Tags between which models think aloud, before they answer.
const THOUGHTS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];
const RESPONSE: (&str, &str) = ("<response>", "</response>");

/// What comes of a piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Words {
    /// More of the answer.
    More(String),
    /// What came so far was thought, not answered: thoughts whose beginning the model's template has said.
    Void,
}

/// Gathers pieces of text, and gives what is answer.
#[derive(Debug, Default)]
pub(crate) struct WordsFilter {
    state: State,
    /// Not decided yet.
    held: String,
    /// All of the answer so far.
    text: String,
    /// Whether a thought was quoted in the answer: then its end ends no thought.
    quotes_thought: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// Nothing of the answer has come.
    #[default]
    Start,
    /// In a thought that this tag ends.
    Thought(&'static str),
    /// In the answer; `true`: one in tags.
    Answer(bool),
    /// After the tag that ends the answer.
    End,
}

impl WordsFilter {
    pub(crate) fn push(&mut self, piece: &str) -> Vec<Words> {
        self.held.push_str(piece);
        let mut words = Vec::new();
        while self.step(&mut words) {}
        words
    }

    /// The rest, when no more comes.
    pub(crate) fn finish(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.held);
        let rest = match self.state {
            State::Start | State::Answer(_) => rest,
            State::Thought(_) | State::End => String::new(),
        };
        let rest = if self.text.is_empty() { rest.trim_start() } else { &rest }.to_owned();
        self.text.push_str(&rest);
        (!rest.is_empty()).then_some(rest)
    }

    /// All of the answer that has come.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Goes on as far as can be decided; whether there may be more to decide.
    fn step(&mut self, words: &mut Vec<Words>) -> bool {
        match self.state {
            State::Start => self.begin(),
            State::Thought(close) => self.after_thought(close),
            State::Answer(is_tagged) => self.answer(is_tagged, words),
            State::End => {
                self.held.clear();
                false
            }
        }
    }

    fn begin(&mut self) -> bool {
        self.held.drain(..self.held.len() - self.held.trim_start().len());
        if let Some((open, close)) = THOUGHTS.iter().find(|(open, _)| self.held.starts_with(open)) {
            self.held.drain(..open.len());
            self.state = State::Thought(close);
            return true;
        }
        if self.held.starts_with(RESPONSE.0) {
            self.held.drain(..RESPONSE.0.len());
            self.held.drain(..self.held.len() - self.held.trim_start().len());
            self.state = State::Answer(true);
            return true;
        }
        let mut opening = THOUGHTS.iter().map(|(open, _)| *open).chain([RESPONSE.0]);
        if opening.any(|tag| tag.starts_with(self.held.as_str())) {
            return false;
        }
        self.state = State::Answer(false);
        true
    }

    fn after_thought(&mut self, close: &str) -> bool {
        let Some(at) = self.held.find(close) else {
            // Only as much as may be the beginning of the tag.
            let keep = held_back(&self.held, &[close]);
            self.held.drain(..self.held.len() - keep);
            return false;
        };
        self.held.drain(..at + close.len());
        self.state = State::Start;
        true
    }

    fn answer(&mut self, is_tagged: bool, words: &mut Vec<Words>) -> bool {
        if self.text.is_empty() {
            self.held.drain(..self.held.len() - self.held.trim_start().len());
        }
        let ends_thought =
            |text: &str| THOUGHTS.iter().filter_map(|(_, close)| Some((text.find(close)?, close.len()))).min();
        self.quotes_thought |= THOUGHTS.iter().any(|(open, _)| self.held.contains(open));
        if !is_tagged
            && !self.quotes_thought
            && let Some((at, length)) = ends_thought(&self.held)
        {
            self.held.drain(..at + length);
            if !self.text.is_empty() {
                self.text.clear();
                words.push(Words::Void);
            }
            self.state = State::Start;
            return true;
        }
        if is_tagged && let Some(at) = self.held.find(RESPONSE.1) {
            let last = self.held[..at].trim_end().to_owned();
            self.more(last, words);
            self.state = State::End;
            return true;
        }
        let tags = [THOUGHTS[0].0, THOUGHTS[0].1, THOUGHTS[1].0, THOUGHTS[1].1, RESPONSE.1];
        let mut ready = self.held.len() - held_back(&self.held, &tags);
        if is_tagged {
            // What stands before the closing tag is no part of the answer.
            ready = self.held[..ready].trim_end().len();
        }
        let ready = self.held.drain(..ready).collect();
        self.more(ready, words);
        false
    }

    fn more(&mut self, text: String, words: &mut Vec<Words>) {
        if !text.is_empty() {
            self.text.push_str(&text);
            words.push(Words::More(text));
        }
    }
}

/// Bytes at the end of a text that may become one of the tags.
fn held_back(text: &str, tags: &[&str]) -> usize {
    let Some(at) = text.rfind('<') else { return 0 };
    let tail = &text[at..];
    if tags.iter().any(|tag| tag.starts_with(tail)) { tail.len() } else { 0 }
}

/// The answer in a whole text.
pub(crate) fn words(text: &str) -> String {
    let mut filter = WordsFilter::default();
    filter.push(text);
    filter.finish();
    filter.text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What comes of a text in pieces, as somebody shows it who forgets what is void.
    fn shown(pieces: &[&str]) -> String {
        let (mut filter, mut shown) = (WordsFilter::default(), String::new());
        for words in pieces.iter().flat_map(|piece| filter.push(piece)) {
            match words {
                Words::More(text) => shown.push_str(&text),
                Words::Void => shown.clear(),
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
            assert_eq!(words(text), answer);
        }
    }

    proptest! {
        #[test]
        fn no_pieces_make_it_panic_and_words_without_tags_stay(pieces in prop::collection::vec("[a<>/thinkresponse é]{0,9}", 0..9), plain in "[a-zé .]{1,40}") {
            let _ = shown(&pieces.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert_eq!(words(&plain), plain.trim());
        }
    }
}
