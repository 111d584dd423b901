//! Recognises questions about a subject as a whole: "What is X?", "What is new in X?", "Anything about X this week?". They
//! name no property of X that a sentence could match; [`super::subject_sentences`] answers them.

use std::sync::LazyLock;

use regex::Regex;

use super::kinds::{is_match, pattern};
use super::vocabulary::{contents_in_digits, words};

/// A question about a subject as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Overview {
    pub(super) kind: OverviewKind,
    /// The words of the subject in lower case, without a leading article.
    pub(super) subject: Vec<String>,
    /// How many days back the question reaches.
    pub(super) days: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OverviewKind {
    /// "What is X?": answered from a definition of X; without one it is a question like any other.
    Definition,
    /// "What is X?" that nothing else answers: what names X may still tell what it is.
    Naming,
    /// "Tell me about X".
    Description,
    /// "What happened with X?": the newest passage goes first.
    News,
}

// Matched against the words of the question, in lower case, with one space between them.
pattern!(
    NEWS,
    r"^(?:what (?:is |has )?(?:new|the latest|latest|the news|happening|going on|up)(?: news| lately| recently)? (?:in|with|at|on|about|for|from|around|of|regarding|concerning)|what (?:has |have )?(?:just |recently )?happened (?:with|to|in|at|on|around|about)|what (?:became|has become) of|(?:is there |are there |was there |have you |have you got |have we |have i |do you have |do we have |do i have |got |give me |show me )?(?:anything|something|any news|any updates?|news|updates?|the latest|the latest news|latest news)(?: new| interesting| important| else)* (?:about|on|from|regarding|concerning|in|with|for|of)) (.+)$"
);
pattern!(
    DESCRIPTION,
    r"^(?:(?:please |can you |could you )?(?:tell me|say)(?: more| something| all| everything| a bit)? about|what about|what do (?:i|you|we) know about|what can you (?:tell me|say) about|(?:please |can you |could you )?(?:describe|summari[sz]e|define|explain)) (.+)$"
);
pattern!(DEFINITION, r"^what (?:is|are|was|were) (.+)$");
// Asks for news of nothing in particular.
pattern!(
    WITHOUT_SUBJECT,
    r"^(?:what (?:is |has )?(?:new|the latest|the news|happened|happening|going on|up)|(?:is there |are there |have you |do you have |got )?(?:anything|something|any news|any updates?|news)(?: new| interesting| important| else)*)$"
);
pattern!(
    PERIOD,
    r" (?:(?:in |over |during |for |from |of )?(?:the )?(?:this|past|(?P<before>last|previous)) (?P<unit>day|week|month|quarter|year)|(?P<today>today|yesterday)|lately|recently|right now|now|these days|so far|at the moment|currently|please)$"
);

impl Overview {
    /// Recognises such a question; `None` for any other.
    pub(super) fn of(question: &str) -> Option<Self> {
        let text = plain(question);
        let (text, days) = without_period(&text);
        let kinds = [
            (&NEWS, OverviewKind::News),
            (&DESCRIPTION, OverviewKind::Description),
            (&DEFINITION, OverviewKind::Definition),
        ];
        let without_subject = || {
            let is_one = is_match(&WITHOUT_SUBJECT, text);
            is_one.then(|| Self { kind: OverviewKind::News, subject: Vec::new(), days })
        };
        let found = kinds.into_iter().find_map(|(pattern, kind)| {
            let subject = pattern.as_ref()?.captures(text)?.get(1)?;
            Some(Self { kind, subject: without_article(subject.as_str()), days })
        });
        let is_name = |overview: &Self| !overview.subject.is_empty() && overview.only_names();
        without_subject().or(found).filter(|overview| overview.kind != OverviewKind::Definition || is_name(overview))
    }

    /// Returns whether the subject is a name or a noun with a few words before it; with others, such as "of" or "how",
    /// the question asks for a property of something.
    pub(super) fn only_names(&self) -> bool {
        const MAX_WORDS_OF_NAME: usize = 4;
        self.subject.len() <= MAX_WORDS_OF_NAME && self.terms().len() == self.subject.len()
    }

    /// The same question, to be answered by what names the subject; see [`OverviewKind::Naming`].
    pub(super) fn by_naming(&self) -> Self {
        Self { kind: OverviewKind::Naming, ..self.clone() }
    }

    /// The content words of the subject.
    pub(super) fn terms(&self) -> Vec<String> {
        contents_in_digits(&self.subject.join(" "))
    }
}

/// Returns the words of a question, in lower case and with one space between them.
pub(super) fn plain(question: &str) -> String {
    words(&question.to_lowercase().replace('’', "'").replace("what's", "what is")).join(" ")
}

/// Removes the words for a period at the end of a question, and returns its days, if they are known.
pub(super) fn without_period(question: &str) -> (&str, Option<i64>) {
    let (mut text, mut days) = (question, None);
    while let Some(found) = PERIOD.as_ref().and_then(|period| period.captures(text)) {
        let of_unit = found.name("unit").map(|unit| match unit.as_str() {
            "day" => 1,
            "week" => 7,
            "month" => 31,
            "quarter" => 92,
            _ => 366,
        });
        // Last week may have begun 14 days ago, and yesterday 48 hours ago.
        let of_unit = of_unit.map(|days| if found.name("before").is_some() { 2 * days } else { days });
        days = days.or(of_unit).or(found.name("today").map(|_| 2));
        text = &text[..found.get(0).map_or(0, |all| all.start())];
    }
    (text, days)
}

fn without_article(subject: &str) -> Vec<String> {
    let is_article = |word: &&str| ["the", "a", "an", "our", "my", "your", "this", "that"].contains(word);
    subject.split(' ').skip_while(is_article).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(question: &str) -> Option<(OverviewKind, String, Option<i64>)> {
        Overview::of(question).map(|overview| (overview.kind, overview.subject.join(" "), overview.days))
    }

    #[test]
    fn questions_about_a_subject_as_a_whole_are_recognised() {
        for (question, kind, subject, days) in [
            ("What is Rota?", OverviewKind::Definition, "rota", None),
            ("What's the Elm room?", OverviewKind::Definition, "elm room", None),
            ("What is new in Kestrel?", OverviewKind::News, "kestrel", None),
            ("What’s new in Kestrel?", OverviewKind::News, "kestrel", None),
            ("What happened with the harbour bridge?", OverviewKind::News, "harbour bridge", None),
            ("Anything about Project Heron this week?", OverviewKind::News, "project heron", Some(7)),
            ("Is there any news about ferries today?", OverviewKind::News, "ferries", Some(2)),
            ("Any updates on the roof last month?", OverviewKind::News, "roof", Some(62)),
            ("Tell me about Project Heron", OverviewKind::Description, "project heron", None),
            ("Summarise the ferry strike", OverviewKind::Description, "ferry strike", None),
            ("What is new this week?", OverviewKind::News, "", Some(7)),
            ("Anything new?", OverviewKind::News, "", None),
        ] {
            assert_eq!(parsed(question), Some((kind, subject.to_owned(), days)), "{question}");
        }
        for question in [
            "What is the price of a crossing?",
            "What is it?",
            "What happens when a cell overheats?",
            "What was paid for the boat?",
            "What are worn-out rotors turned into?",
            "When does the office open?",
            "How many berths are there?",
        ] {
            assert_eq!(parsed(question), None, "{question}");
        }
    }
}
