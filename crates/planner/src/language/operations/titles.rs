//! Determines the title of a new record, and its kind from the title. Also detects titles without meaning.

use crate::language::text::phrases::{listed, without_marks};
use crate::language::text::tokens::{self, Token, text_of};
use crate::language::text::vocabulary::{self, EVENTS, OF_BOOKS, begins_with_task_verb};
use crate::language::text::words::{WordList, word_list};
use crate::language::values::when::When;
use crate::record::Kind;

/// Titles without meaning.
pub static EMPTY_TITLES: WordList = WordList::new(|| word_list(include_str!("../words/empty_titles.txt")));

/// Words for plans as a whole, which only the user can organise.
pub const PLANS: &str = "week|day|afternoon|morning|evening|weekend|diary|inbox|schedule|calendar|agenda|list|todos|\
    tasks|life|things|month|priorities";

/// Words that no title ends with.
static DANGLING: WordList = WordList::new(|| word_list(include_str!("../words/dangling.txt")));

/// Words that may surround a quoted title.
const AROUND_QUOTED: &str = "to|that|about|of|for|called|named|titled|on|at|by|and|in|it|starts|starting|lasting|\
    lasts|from|with|the|title|a|an|as|is|\
    it's|say|saying|please|event|todo|task|habit|goal|free|time|down|up";

/// Words that no title begins with.
const LEADING: &str = "to|that|about|of|for|called|named|titled|on|at|by|and|-|–|—|free|time|then";

/// Words that do not name a person or a thing.
const PRONOUN_OBJECTS: &str = "it|that|this|them|him|her|those|these|stuff|something|things";

/// Matches "fix it", "do that", "call him": the person or thing is missing.
pub fn only_pronouns(words: &[Token], when: &When) -> bool {
    let remaining =
        words.iter().zip(&when.used).filter(|(word, used)| !**used && !word.is_mark()).map(|(word, _)| word);
    let remaining: Vec<&Token> =
        remaining.filter(|word| !word.is_one_of("instead|again|now|then|too|already|first|also")).collect();
    matches!(remaining[..], [verb, object] if !verb.quoted && object.is_one_of(PRONOUN_OBJECTS))
}

/// Matches "that thing", "something with Anna", "the usual": a subject that names nothing.
pub fn is_meaningless(words: &[&Token]) -> bool {
    let of = |at: usize, list: &str| words.get(at).is_some_and(|word| word.is_one_of(list));
    let pointed = of(0, "that|the|this|those|these|my|our|some|a")
        && of(1, "thing|things|stuff|one|ones|usual|other|same|rest|matter");
    let vague = of(1, "something|anything|stuff") && words.len() == 3;
    let done_to =
        of(1, "it|that|this|them|something|things|stuff") && (words.len() == 2 || of(2, "with|about|for|like"));
    // "Call him back".
    let particle = words.len() == 3
        && of(1, "him|her|them|it|that|this|these|those")
        && of(2, "back|again|up|out|off|over|in|away|down|instead");
    let verb_of_thing = words.len() >= 2 && of(1, "the|that|this") && of(2, "thing|things|stuff|usual|one|other");
    // "It down"; but "IT" is a department.
    of(0, "it|them") && words[0].text != "IT"
        || of(0, "whatever|whichever|whoever|something|someone|somebody|somewhere|things|stuff|anything|thing")
        || (words.first().is_some_and(|first| !first.quoted && first.lower.ends_with("'s"))
            && of(1, "in|on|at|here|there|gone|not|still|all"))
        || (of(0, "same|usual|ditto") && words.len() < 3)
        || words.last().is_some_and(|last| last.is_one_of("my|our|your|his|her|their"))
        || pointed
        || vague
        || done_to
        || particle
        || verb_of_thing
}

/// Returns whether the words are a statement about the user or others, and not a todo.
pub fn is_talk(words: &[&Token]) -> bool {
    static TALK_STARTS: WordList = WordList::new(|| word_list(include_str!("../words/talk_starts.txt")));
    // "Work on the slides".
    let of_doing = matches!(words, [first, next, ..] if first.is("work") && next.is_one_of("on|out|through|from"));
    !of_doing && words.first().is_some_and(|first| first.is_one_of(&TALK_STARTS))
}

/// Words that name a kind of event and are also verbs.
const COMPOUNDS: &str = "swim|dance|study|practice|design|budget|test|review|ski|drive|paint|exercise|drill|film|\
    trial|research|report|work|\
    cycle|bake|plant|auction|training|record|plan|answer|market";

/// Returns the kind of a record. An event has an end, or is named by a noun for events without a verb.
pub fn kind_of(title: &str, when: &When) -> Kind {
    if when.end_time.is_some() {
        return Kind::Event;
    }
    let lower = title.to_lowercase();
    let separator =
        lower.split_whitespace().position(|word| word.ends_with([',', ':'])).map_or(usize::MAX, |at| at + 1);
    let words: Vec<&str> = lower.split_whitespace().map(|word| word.trim_end_matches([',', ':'])).collect();
    let head_end = words
        .iter()
        .position(|word| ["with", "w/", "w", "at", "in", "about", "for", "on", "and", "to", "of"].contains(word))
        .unwrap_or(words.len());
    let head = &words[..head_end.min(separator)];
    // "Flight BA123".
    let numbered = head.len() > 1 && head.last().is_some_and(|last| last.contains(|c: char| c.is_ascii_digit()));
    let head = &head[..head.len() - usize::from(numbered)];
    let is_event = head.last().is_some_and(|word| listed(&EVENTS, word))
        || matches!(head, ["1:1" | "121" | "1-1", ..])
        || matches!(head, [.., "leaving" | "hen" | "stag" | "works" | "christmas", "do"]);
    // "Book club meeting", "swim lesson": two nouns.
    let is_compound = matches!(head, ["book", noun, ..] if listed(OF_BOOKS, noun))
        || (head.len() == 2 && is_event && listed(COMPOUNDS, head[0]));
    let is_verb = !is_compound && head.first().is_some_and(|first| begins_with_task_verb(&tokens::tokens(first)));
    // "call with Anna" is an event, "call Anna" is not.
    let phones = matches!(head, ["phone" | "video" | "skype" | "zoom" | "conference", "call"]);
    if is_event
        && (!is_verb
            || phones
            || (head.len() == 1 && words.get(1).is_some_and(|next| ["with", "w/", "w"].contains(next))))
    {
        Kind::Event
    } else {
        Kind::Todo
    }
}

/// Returns the title without unsuitable words at its ends. If the only other words introduce a quoted text, that is the
/// title.
pub fn title(sentence: &str, words: &[Token], when: &When) -> String {
    let mut kept: Vec<Token> = Vec::new();
    for (word, _) in words.iter().zip(&when.used).filter(|(_, used)| !**used) {
        // Marks around the parsed words must not become adjacent.
        if !(word.is_mark() && kept.last().is_some_and(Token::is_mark)) {
            kept.push(word.clone());
        }
    }
    let quoted: Vec<&Token> = kept.iter().filter(|word| word.quoted).collect();
    if let [only] = quoted[..]
        && kept.iter().all(|word| word.quoted || word.is_mark() || word.is_one_of(AROUND_QUOTED))
    {
        return only.text.clone();
    }
    let mut kept = without_marks(&kept);
    loop {
        let before = kept.len();
        if let [noun, mark, rest @ ..] = kept
            && vocabulary::kind_noun(&noun.lower).is_some()
            && !noun.quoted
            && mark.is_one_of(":|,")
            && !rest.is_empty()
        {
            kept = rest;
        }
        if let [first, rest @ ..] = kept
            && first.is_one_of(LEADING)
            && !rest.is_empty()
        {
            kept = rest;
        }
        // "Room A" ends in a name, "sleep in" in a part of the verb, ", leave at 8" in a preposition.
        if let [rest @ .., last] = kept
            && (last.is_one_of(&DANGLING) && last.text != "A" && !ends_in_verb(kept)
                || last.is("leave") && rest.last().is_some_and(Token::is_mark))
        {
            kept = rest;
        }
        if let [first, rest @ ..] = kept
            && (first.text == "a" || first.text == "an")
            && !rest.is_empty()
        {
            kept = rest;
        }
        kept = without_marks(kept);
        if kept.len() == before {
            break;
        }
    }
    if let [one] = kept {
        return one.text.clone();
    }
    let text = text_of(sentence, kept, |_| false);
    let text = if text.contains(')') { text } else { text.replace(" ( ", ", ").replace(" (", ", ") };
    text.replace(" ,", ",").replace(" .", ".").replace(" :", ":")
}

/// Matches "sleep in", "check in": the last word belongs to the verb.
fn ends_in_verb(words: &[Token]) -> bool {
    const VERBS: &str = "sleep|lie|check|log|sign|clock|dial|phone|call|move|stay|eat|drop|pop|stop|tune|chip|settle|\
        join|opt|give|dive|plug|break";
    matches!(words, [.., verb, last] if last.is("in") && verb.is_one_of(VERBS))
}

/// Splits the location "… at Luigi's" from the end of an event's title.
pub fn with_location(title: &str) -> (String, Option<String>) {
    let place_of = |(what, place): (&str, &str)| (what.trim_end_matches([',', ' ']).to_owned(), Some(place.to_owned()));
    if let Some((what, place)) = title.rsplit_once(" at ")
        && (place.starts_with(char::is_uppercase) || place.starts_with("the "))
    {
        // "Dinner at Nando's with Sam".
        if let Some((place, who)) = place.split_once(" with ") {
            return (format!("{what} with {who}"), Some(place.to_owned()));
        }
        return place_of((what, place));
    }
    let in_room = |(_, place): &(&str, &str)| {
        let first = place.trim_start_matches("the ").split(' ').next().unwrap_or_default().to_lowercase();
        listed(vocabulary::ROOMS, &first)
    };
    title.rsplit_once(" in ").filter(in_room).map_or_else(|| (title.to_owned(), None), place_of)
}
