//! Interests as people write them: clauses, some of them denials.
//!
//! A sentence is cut into clauses at commas, colons, "and", "especially" and the like. A denial ("no sport", "not interested in …") holds
//! to the end of its sentence or a "but", one within a clause ("rather than …") to the next comma. What follows a "because" is left out. A clause that names no place is about the places that its sentence has named before:
//! "Latin America: politics, trade", but not "heat pumps, tidal energy in Scotland". German, French and Spanish clauses have English wordings besides.

use super::phrases::{Phrase, compound, find};
use super::places::{PlaceId, Places};
use super::translations::{Language, Translations};
use super::wordings::{Wording, abbreviated, english};
use super::words::{fold, is_content, is_function_word, next_word};

/// What a reader wants, or does not want.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// As it was written, without what leads up to it.
    pub written: String,
    /// Whether it is not wanted.
    pub denied: bool,
    /// Words that a text is to have, in lower case; an abbreviation in the place of what it stands for.
    pub words: Vec<String>,
    /// Places that a text is to be about.
    pub(super) places: Vec<PlaceId>,
    /// Places that its sentence has named before, for a clause that names none.
    pub(super) scope: Vec<PlaceId>,
    /// The same in English, the best first, where it is in another language that is known.
    pub(super) english: Vec<Wording>,
}

/// Interests, understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interests {
    pub clauses: Vec<Clause>,
}

/// A word of the interests or a mark between words.
#[derive(Debug, Clone)]
struct Token {
    /// As compared; empty for a mark.
    word: String,
    mark: Mark,
    start: usize,
    end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    /// A comma or another pause within a sentence.
    Pause,
    SentenceEnd,
}

impl Interests {
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let tokens = with_shared_names(tokens(text));
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).filter(|word| !word.is_empty()).collect();
        let language = Translations::shipped().language(&words);
        let sentences = tokens.split(|token| token.mark == Mark::SentenceEnd);
        Self { clauses: sentences.flat_map(|sentence| clauses(text, sentence, language)).collect() }
    }

    /// Whether nothing is asked for; denials alone ask for nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clauses.iter().all(|clause| clause.denied)
    }

    pub fn wanted(&self) -> impl Iterator<Item = &Clause> {
        self.clauses.iter().filter(|clause| !clause.denied)
    }

    pub fn denied(&self) -> impl Iterator<Item = &Clause> {
        self.clauses.iter().filter(|clause| clause.denied)
    }
}

impl Clause {
    /// Names of the places that it is about, for a person.
    #[must_use]
    pub fn place_names(&self) -> Vec<String> {
        let places = self.places.iter().chain(&self.scope);
        places.map(|place| Places::shipped().title(place)).collect()
    }

    /// Its words and those of its English wordings, each once, for a person.
    #[must_use]
    pub fn all_words(&self) -> Vec<String> {
        let english = self.english.iter().flat_map(|wording| {
            let places = wording.places.iter().map(|place| Places::shipped().title(place));
            wording.words.iter().cloned().chain(places)
        });
        let mut found: Vec<String> = Vec::new();
        for word in self.words.iter().cloned().chain(english) {
            if !found.contains(&word) {
                found.push(word);
            }
        }
        found
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(found) = next_word(&text[at..]) {
        push_mark(&mut tokens, &text[at..at + found.start], at);
        let mut word = String::new();
        fold(found.text, found.is_initials, &mut word);
        // Initials may stand at the end of a sentence; their last full stop is theirs.
        tokens.push(Token { word, mark: Mark::None, start: at + found.start, end: at + found.end });
        at += found.end;
    }
    push_mark(&mut tokens, &text[at..], at);
    tokens
}

/// With "South America and Central America" for "South and Central America".
fn with_shared_names(mut tokens: Vec<Token>) -> Vec<Token> {
    let mut at = 0;
    while at + 3 < tokens.len() {
        let words: Vec<&str> = tokens[at..].iter().take(2 + LONGEST_SHARED).map(|token| token.word.as_str()).collect();
        let is_list = ["and", "or", "und", "oder", "et", "ou", "y", "o"].contains(&words[1]);
        let named = if is_list { Places::shipped().find(&words[2..]) } else { None };
        if let Some((_, length)) = named.filter(|(_, length)| *length > 1) {
            let last = words[1 + length];
            let shared = Places::shipped().find(&[words[0], last]);
            if shared.is_some_and(|(_, length)| length == 2) {
                // It stands where the first word does.
                let missing = Token { word: last.to_owned(), ..tokens[at].clone() };
                tokens.insert(at + 1, missing);
            }
        }
        at += 1;
    }
    tokens
}

/// Words of a place's name whose last one may be shared.
const LONGEST_SHARED: usize = 3;

fn push_mark(tokens: &mut Vec<Token>, between: &str, at: usize) {
    let is_abbreviation = || {
        tokens
            .last()
            .is_some_and(|token| ["eg", "ie", "etc", "vs", "g", "ex", "ej", "zb", "b"].contains(&token.word.as_str()))
    };
    let ends = between.contains(['!', '?', ';', '\n'])
        || (between.starts_with('.') && between[1..].starts_with(|c: char| c.is_whitespace()) && !is_abbreviation())
        || [" - ", " – ", " — "].iter().any(|dash| between.contains(dash));
    let pauses = between.contains([',', ':', '/', '&', '(', ')', '、', '，', '•', '|']);
    let mark = match (ends, pauses) {
        (true, _) => Mark::SentenceEnd,
        (false, true) => Mark::Pause,
        (false, false) => return,
    };
    tokens.push(Token { word: String::new(), mark, start: at, end: at + between.len() });
}

/// The clauses of a sentence.
fn clauses(text: &str, sentence: &[Token], language: Option<Language>) -> Vec<Clause> {
    let words: Vec<&str> = sentence.iter().map(|token| token.word.as_str()).collect();
    let mut parts: Vec<(Vec<&Token>, bool)> = vec![(Vec::new(), false)];
    let mut denied = false;
    // What holds again from the next pause on, where a denial ends there.
    let mut from_pause: Option<bool> = None;
    // The first part since the last pause: a denial that comes behind its object takes these back.
    let mut since_pause = 0;
    let mut at = 0;
    while at < sentence.len() {
        if sentence[at].mark == Mark::Pause {
            since_pause = parts.len();
            denied = from_pause.take().unwrap_or(denied);
            parts.push((Vec::new(), denied));
            at += 1;
            continue;
        }
        let Some((phrase, length)) = find(&words[at..]) else {
            parts.last_mut().into_iter().for_each(|(part, _)| part.push(&sentence[at]));
            at += 1;
            continue;
        };
        at += length;
        match phrase {
            Phrase::NoDenial | Phrase::Aside => continue,
            Phrase::Reason => break,
            Phrase::Denial => denied = true,
            Phrase::ShortDenial => {
                from_pause.get_or_insert(denied);
                denied = true;
            }
            Phrase::Turn => {
                (denied, from_pause) = (false, None);
                since_pause = parts.len();
            }
            Phrase::DenialBehind => parts[since_pause..].iter_mut().for_each(|(_, is_denied)| *is_denied = true),
            Phrase::Separator => {}
        }
        parts.push((Vec::new(), denied));
    }
    let mut clauses: Vec<Clause> =
        parts.iter().filter_map(|(part, denied)| clause(text, part, *denied, language)).collect();
    let mut places: Vec<PlaceId> = Vec::new();
    for clause in clauses.iter_mut().filter(|clause| !clause.denied) {
        let english = clause.english.first().map_or(&[][..], |wording| &wording.places);
        let own: Vec<PlaceId> = clause.places.iter().chain(english).cloned().collect();
        if own.is_empty() {
            clause.scope.clone_from(&places);
        }
        places.extend(own.into_iter().filter(|place| !places.contains(place)).collect::<Vec<_>>());
    }
    clauses
}

/// `None` where nothing is left of it that a text could have.
fn clause(text: &str, part: &[&Token], denied: bool, language: Option<Language>) -> Option<Clause> {
    let words: Vec<&str> = part.iter().map(|token| token.word.as_str()).collect();
    let mut clause =
        Clause { written: String::new(), denied, words: vec![], places: vec![], scope: vec![], english: vec![] };
    let mut span: Option<(usize, usize)> = None;
    let mut kept: Vec<&str> = Vec::new();
    let alone = subject_alone(&words);
    // Behind the name of a subject that was found last.
    let mut named_until = 0;
    let mut at = 0;
    while at < part.len() {
        let found = Places::shipped().find(&words[at..]);
        let length = found.as_ref().map_or(1, |(_, length)| *length);
        named_until = named_until.max(match compound(&words[at..]) {
            0 => 0,
            length => at + length,
        });
        let is_named = at < named_until && !is_function_word(words[at]);
        let is_of_lead_in = LENGTHS.contains(&words[at]) && words.get(at + 1).is_some_and(|next| TEXTS.contains(next));
        let is_content = found.is_some() || is_named || is_content(words[at]) && !is_of_lead_in || alone == Some(at);
        if is_content {
            let end = part[at + length - 1].end;
            span = Some((span.map_or(part[at].start, |(start, _)| start), end));
        }
        match found {
            Some((place, _)) if !clause.places.contains(&place) => clause.places.push(place),
            None if is_content => kept.push(words[at]),
            Some(_) | None => {}
        }
        at += length;
    }
    clause.words = abbreviated(&kept);
    clause.english = language.map(|language| english(&words, language)).unwrap_or_default();
    let (start, end) = span?;
    text.get(start..end)?.clone_into(&mut clause.written);
    Some(clause)
}

/// "Short reads about …" leads up to what is wanted.
const LENGTHS: [&str; 3] = ["short", "long", "quick"];
const TEXTS: [&str; 5] = ["read", "reads", "pieces", "articles", "posts"];

/// Words that lead up to what is wanted ("I work with …"), and are what is wanted where nothing else is said ("sleep, work and money").
const SUBJECTS_ALONE: [&str; 3] = ["work", "reading", "writing"];

/// Where such a word stands, if it is the only one of a part.
fn subject_alone(words: &[&str]) -> Option<usize> {
    let mut said = words.iter().enumerate().filter(|(_, word)| !is_function_word(word));
    let (at, word) = said.next()?;
    (said.next().is_none() && SUBJECTS_ALONE.contains(word)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clauses as written, those that are denied with a minus sign before.
    fn parsed(text: &str) -> Vec<String> {
        let sign = |clause: &Clause| if clause.denied { "-" } else { "" };
        Interests::parse(text).clauses.iter().map(|clause| format!("{}{}", sign(clause), clause.written)).collect()
    }

    #[test]
    fn words_that_lead_up_to_a_subject_may_be_one() {
        assert_eq!(parsed("Short reads about sleep, work and money"), ["sleep", "work", "money"]);
        assert_eq!(parsed("reading and writing; short stories"), ["reading", "writing", "short stories"]);
        assert_eq!(parsed("I work with databases. Long pieces on ferries"), ["databases", "ferries"]);
    }

    #[test]
    fn lists_are_cut_into_clauses() {
        assert_eq!(
            parsed("embedded databases; Rust; self-hosting and home servers"),
            ["embedded databases", "Rust", "self-hosting", "home servers"]
        );
        assert_eq!(parsed("I would like to read about tidal energy, such as in Wales."), ["tidal energy", "Wales"]);
    }

    #[test]
    fn a_denial_ends_with_its_sentence_or_a_but() {
        assert_eq!(parsed("Rust. No sport, gossip. Tidal energy"), ["Rust", "-sport", "-gossip", "Tidal energy"]);
        assert_eq!(parsed("climate, but not party politics"), ["climate", "-party politics"]);
        assert_eq!(parsed("no football but cricket"), ["-football", "cricket"]);
        assert_eq!(parsed("I don't care about release notes"), ["-release notes"]);
        assert_eq!(parsed("I am tired of celebrity news and sport"), ["-celebrity", "-sport"]);
        assert_eq!(parsed("ferries rather than cruises, tides"), ["ferries", "-cruises", "tides"]);
        assert_eq!(parsed("No sport, and I also like tides"), ["-sport", "tides"]);
        assert_eq!(parsed("I don't need gadget reviews"), ["-gadget reviews"]);
        assert_eq!(parsed("Not only Rust; I can't get enough of cheese"), ["Rust", "cheese"]);
    }

    #[test]
    fn what_is_no_subject_is_left_out() {
        assert_eq!(parsed("I keep an eye on harbours, because my colleagues ask me all the time"), ["harbours"]);
        assert_eq!(parsed("I like to read in the evening about archaeology"), ["archaeology"]);
    }

    #[test]
    fn a_word_that_leads_up_elsewhere_may_be_a_subject_s() {
        let words = |text: &str| Interests::parse(text).clauses.remove(0).words;
        assert_eq!(words("I have an interest in interest rates"), ["interest", "rates"]);
        assert_eq!(words("the cost of living"), ["cost", "living"]);
        assert_eq!(words("the two world wars"), ["two", "world", "wars"]);
    }

    #[test]
    fn a_denial_may_come_behind() {
        assert_eq!(parsed("Ferries, but football bores me"), ["Ferries", "-football"]);
        assert_eq!(parsed("Fußball interessiert mich nicht. Fähren"), ["-Fußball", "Fähren"]);
    }

    #[test]
    fn other_languages_deny_in_their_own_words() {
        assert_eq!(parsed("Datenbanken, bitte keinen Sport"), ["Datenbanken", "-Sport"]);
        assert_eq!(parsed("la politique européenne, sauf le sport"), ["politique européenne", "-sport"]);
        assert_eq!(parsed("Cocina y viajes. Nada de política"), ["Cocina", "viajes", "-política"]);
    }

    #[test]
    fn other_languages_are_read_in_english_too() {
        let words = |text: &str| Interests::parse(text).clauses.iter().map(Clause::all_words).collect::<Vec<_>>();
        assert_eq!(
            words("Klimawandel. Kein Fußball"),
            [["klimawandel", "climate", "change"].as_slice(), &["fußball", "football", "soccer"]]
        );
        assert_eq!(words("la bande dessinée et la guerre en Allemagne")[1], ["guerre", "war", "germany"]);
        assert_eq!(words("the art of pain"), [["art", "pain"]]);
    }

    #[test]
    fn a_place_holds_for_its_sentence() {
        let interests = Interests::parse("I follow Latin America: politics, trade. No sport. Rust");
        let names: Vec<Vec<String>> = interests.clauses.iter().map(Clause::place_names).collect();
        let latin = vec!["latin america".to_owned()];
        assert_eq!(names, [latin.clone(), latin.clone(), latin, vec![], vec![]]);
        let shared = Interests::parse("South and Central America, dogs and South Africa");
        let names: Vec<Vec<String>> = shared
            .clauses
            .iter()
            .map(|clause| clause.places.iter().map(|place| Places::shipped().title(place)).collect())
            .collect();
        assert_eq!(
            names,
            [
                vec!["south america".to_owned()],
                vec!["central america".to_owned()],
                vec![],
                vec!["south africa".to_owned()]
            ]
        );
        let behind = Interests::parse("heat pumps, tidal energy in Scotland");
        assert_eq!(behind.clauses.iter().map(|clause| clause.place_names().len()).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn an_abbreviation_stands_for_its_words() {
        let interests = Interests::parse("artificial intelligence, large language models in the U.S.");
        assert_eq!(interests.clauses[0].words, ["ai"]);
        assert_eq!(
            (interests.clauses[1].words.as_slice(), interests.clauses[1].places.len()),
            (&["llm".to_owned()][..], 1)
        );
    }

    #[test]
    fn denials_alone_ask_for_nothing() {
        assert!(Interests::parse("no sport").is_empty());
        assert!(Interests::parse("   ").is_empty() && Interests::parse("I like to read the news").is_empty());
        assert!(!Interests::parse("ferries").is_empty());
    }
}
