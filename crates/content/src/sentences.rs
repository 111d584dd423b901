//! Splits a paragraph into sentences, and reports whether the quotation marks and brackets of a text are closed.
//!
//! Input: plain text. Output: verbatim slices of it. Called by quotation and by name detection.

use unicode_segmentation::UnicodeSegmentation;

/// Maximum number of sentences of one quotation that are kept together.
const MAX_QUOTED_SENTENCES: usize = 4;

/// Returns the sentences of one paragraph in order, trimmed.
#[must_use]
pub fn sentences(paragraph: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut parts = paragraph.split_sentence_bound_indices().peekable();
    while let Some((at, part)) = parts.next() {
        let end = at + part.len();
        let open = paragraph[start..end].trim();
        // A name such as ".NET" begins with the dot.
        let is_dotted_name = paragraph[start..end].ends_with(" .");
        let is_inside =
            |next: &str| is_dotted_name || is_range(&paragraph[start..end], next) || continues(open, next.trim_start());
        if parts.peek().is_some_and(|(_, next)| is_inside(next)) {
            continue;
        }
        if open.contains(char::is_alphanumeric) {
            found.extend(after_code_words(open));
        }
        start = end;
    }
    found
}

/// Returns whether several dots between two words end no sentence, as in `--window START..END`.
fn is_range(open: &str, next: &str) -> bool {
    let before = open.trim_end_matches('.');
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    open.len() - before.len() > 1 && before.ends_with(is_word) && next.starts_with(is_word)
}

/// Divides a text where a code word ends a sentence and the next begins in lower case: "… in `KEPT_FILES`. undo reverts
/// it". The Unicode rules see one sentence there.
fn after_code_words(text: &str) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, _) in text.match_indices(". ") {
        let last = text[start..at].rsplit(char::is_whitespace).next().unwrap_or_default();
        if last.contains('_') && text[at + 2..].starts_with(char::is_lowercase) {
            parts.push(text[start..=at].trim());
            start = at + 2;
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// Returns the sentences of one paragraph, where a quotation of several sentences is one passage if it has at most
/// `max_chars` characters. A longer quotation is omitted: without its marks its sentences would read as the source's
/// own words.
#[must_use]
pub fn passages(paragraph: &str, max_chars: usize) -> Vec<&str> {
    let whole = sentences(paragraph);
    let mut found = Vec::new();
    let mut number = 0;
    while let Some(first) = whole.get(number) {
        if marks(first) != Marks::Open {
            found.push(*first);
            number += 1;
            continue;
        }
        let last =
            (number + 1..whole.len()).find(|last| marks(between(paragraph, first, whole[*last])) == Marks::Closed);
        let Some(last) = last else {
            found.push(*first);
            // An unclosed straight mark may be an inch sign or a mistake; only an unambiguous opening mark hides the
            // rest.
            number = if first.contains(['“', '„', '«']) { whole.len() } else { number + 1 };
            continue;
        };
        let passage = between(paragraph, first, whole[last]);
        if last - number < MAX_QUOTED_SENTENCES && passage.chars().count() <= max_chars {
            found.push(passage);
        }
        number = last + 1;
    }
    found
}

/// Returns the text from the start of one part of `text` to the end of a later one. Both must be slices of `text`.
#[must_use]
pub fn between<'a>(text: &'a str, first: &str, last: &str) -> &'a str {
    let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    text.get(offset(first)..offset(last) + last.len()).unwrap_or_default()
}

/// Whether the quotation marks and brackets of a text are balanced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    Closed,
    /// One is opened and not closed.
    Open,
    /// One is closed that was not opened.
    Torn,
}

/// Checks the quotation marks and brackets of English, German, French and Spanish. Apostrophes, inch signs, smileys and
/// the brackets of `a)` are ignored.
#[must_use]
pub fn marks(text: &str) -> Marks {
    let chars: Vec<char> = text.chars().collect();
    let mut open: Vec<char> = Vec::new();
    for (at, mark) in chars.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1).copied();
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let closes = open.last().is_some_and(|opening| pairs(*opening, mark));
        let ends_word = !is_letter(after) && before.is_some_and(|c| !c.is_whitespace());
        match mark {
            '\'' | '’' | '‘' if closes && ends_word => drop(open.pop()),
            '\'' | '‘'
                if !is_letter(before) && after.is_some_and(char::is_alphabetic) && !is_elision(&chars[at + 1..]) =>
            {
                open.push(mark);
            }
            '\'' | '’' if ends_word && matches!(before, Some('.' | ',' | '!' | '?')) => return Marks::Torn,
            '\'' | '’' | '‘' => {}
            _ if closes => drop(open.pop()),
            '"' if before.is_some_and(|c| c.is_ascii_digit()) && !is_letter(after) => {}
            '“' | '„' | '‚' | '«' | '»' | '"' | '(' | '[' | '{' => {
                let is_smiley = mark == '(' && matches!(before, Some(':' | ';' | '-'));
                if !is_smiley {
                    open.push(mark);
                }
            }
            ')' if is_numbering_or_smiley(&chars[..at]) => {}
            '”' | ')' | ']' | '}' => return Marks::Torn,
            _ => {}
        }
    }
    if open.is_empty() { Marks::Closed } else { Marks::Open }
}

fn pairs(opening: char, closing: char) -> bool {
    matches!(
        (opening, closing),
        ('“' | '„' | '"', '”' | '"')
            | ('„', '“')
            | ('«', '»')
            | ('»', '«')
            | ('‘', '’')
            | ('‚', '‘' | '’')
            | ('\'', '\'')
            | ('(', ')')
            | ('[', ']')
            | ('{', '}')
    )
}

/// Whether `rest`, the text after an apostrophe, begins with an elided word: ’em, ’til and similar.
fn is_elision(rest: &[char]) -> bool {
    let word: String = rest.iter().take_while(|c| c.is_alphanumeric()).flat_map(|c| c.to_lowercase()).collect();
    matches!(word.as_str(), "em" | "til" | "tis" | "twas" | "cause" | "n" | "round" | "bout" | "s" | "t")
}

/// Matches `a)` and `12)`, `:)` and `;-)`.
fn is_numbering_or_smiley(before: &[char]) -> bool {
    let item = before.iter().rev().take_while(|c| c.is_alphanumeric()).count();
    let starts_word = before.len() == item || before.get(before.len() - item - 1).is_some_and(|c| c.is_whitespace());
    let is_numbering = (1..=2).contains(&item) && starts_word;
    is_numbering || matches!(before.last(), Some(':' | ';' | '-'))
}

/// Returns whether a sentence that seems to end continues with `next`.
fn continues(open: &str, next: &str) -> bool {
    let next_word: &str =
        next.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').next().unwrap_or_default();
    // “Yahoo! said”, “‘Why?’ he asked”.
    let continues_in_lower_case =
        next.starts_with(char::is_lowercase) && open.ends_with(['!', '?', '”', '"', '’', '\'', '»', '…', ')']);
    continues_in_lower_case || !open.contains(char::is_alphanumeric) || ends_in_abbreviation(open, next_word)
}

/// Abbreviations that do not end a sentence, in lower case without their last dot.
const ABBREVIATIONS: &[&str] = &[
    "abb", "abs", "adm", "al", "anm", "approx", "apr", "art", "aug", "bd", "bspw", "bzgl", "bzw", "ca", "capt", "cf",
    "col", "dec", "dept", "dipl", "dr", "dra", "ed", "est", "evtl", "exmo", "feb", "fig", "figs", "gen", "ggf", "gov",
    "hon", "hr", "hrsg", "ing", "insb", "jan", "jr", "jul", "jun", "lic", "lt", "mag", "maj", "max", "med", "messrs",
    "mgr", "min", "mio", "mlle", "mme", "mr", "mrd", "mrs", "ms", "mt", "mx", "nov", "nr", "oct", "okt", "pág", "phil",
    "pp", "pres", "prof", "rep", "rev", "sept", "sen", "sgt", "sog", "spec", "sr", "sra", "srta", "st", "ste", "str",
    "supt", "tel", "ud", "uds", "univ", "usw", "vgl", "vol", "vs", "zzgl", "z", "d", "u", "e.g", "i.e", "viz",
];

/// Abbreviations that may also end a sentence, depending on the next word.
const MAY_END: &[&str] = &[
    "ave", "blvd", "bros", "co", "corp", "etc", "inc", "ltd", "llc", "no", "p", "s", "sec", "dez", "rd", "a.m", "p.m",
    "ph.d",
];

/// Words that begin sentences but not names.
pub(super) const OPENERS: &[&str] = &[
    "the", "a", "an", "this", "that", "these", "those", "it", "he", "she", "they", "we", "i", "you", "in", "on", "at",
    "but", "and", "if", "as", "for", "from", "with", "after", "before", "when", "while", "however", "its", "his",
    "her", "their", "our", "there", "here", "what", "why", "how", "who", "some", "many", "most", "all", "no", "not",
    "to", "by", "since", "so", "then", "it's", "it’s", "der", "die", "das", "ein", "eine", "es", "er", "sie", "wir",
    "im", "am", "aber", "und", "le", "la", "les", "un", "une", "il", "elle", "el", "los", "las", "una", "despite",
    "although", "though", "during", "because", "having", "one", "my", "your",
];

/// Words that follow an ordinal number in German: "am 3. Oktober", "im 21. Jahrhundert".
const AFTER_ORDINAL: &[&str] = &[
    "januar",
    "februar",
    "märz",
    "april",
    "mai",
    "juni",
    "juli",
    "august",
    "september",
    "oktober",
    "november",
    "dezember",
    "jahrhundert",
    "jahrhunderts",
    "platz",
    "jahrestag",
    "geburtstag",
];

fn ends_in_abbreviation(open: &str, next_word: &str) -> bool {
    let Some(last) = open.strip_suffix('.').and_then(|open| open.rsplit(char::is_whitespace).next()) else {
        return false;
    };
    let bare = last.trim_start_matches(['(', '[', '"', '“', '„', '«', '‘', '\'']);
    let (lower, next) = (bare.to_lowercase(), next_word.to_lowercase());
    if bare.len() <= 2 && !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_digit()) {
        return AFTER_ORDINAL.contains(&next.as_str());
    }
    let opens = OPENERS.contains(&next.as_str());
    let followed_by_number = next_word.starts_with(|c: char| c.is_ascii_digit());
    let initials = !bare.is_empty()
        && bare.split('.').all(|part| part.chars().count() == 1 && part.chars().all(char::is_alphabetic));
    let double = bare.split('-').all(|part| part.trim_end_matches('.').chars().count() == 1) && bare.contains('-');
    match lower.as_str() {
        "no" | "sec" => followed_by_number,
        // A page; in upper case it is an initial.
        "p" | "s" if bare == lower => followed_by_number,
        lower if ABBREVIATIONS.contains(&lower) => true,
        lower if MAY_END.contains(&lower) || initials || double => !opens,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_and_numbers_end_no_sentence() {
        for whole in [
            "The U.S. Navy paid Acme Inc. $3.5 million, said Mr. J. R. Hallan of St. Ives on Jan. 5 in No. 10.",
            "Tools, e.g. Git and z. B. Mercurial, vs. nothing at all, by Dr. Ø. Ask et al. (2020).",
            "Am 3. Oktober und im 21. Jahrhundert gilt das bzw. Ähnliches.",
            "M. Dupont et Mme. Durand sont venus à 9.30 heures avec J.-P. Martin.",
            "Yahoo! said so, and “Why?” he asked.",
            "It is by Ada P. Lund and Jo S. Brandt, see p. 12.",
        ] {
            assert_eq!(sentences(whole), [whole]);
        }
    }

    #[test]
    fn an_abbreviation_may_end_a_sentence_too() {
        assert_eq!(
            sentences("The tool in .NET runs. Done . It ends."),
            ["The tool in .NET runs.", "Done .", "It ends."]
        );
        let text = "It moved to the U.S. The owner is Acme Inc. It has plans, etc. But he had Plan B. She left at 5 p.m. They won 3 to 12. No. That is all.";
        assert_eq!(
            sentences(text),
            [
                "It moved to the U.S.",
                "The owner is Acme Inc.",
                "It has plans, etc.",
                "But he had Plan B.",
                "She left at 5 p.m.",
                "They won 3 to 12.",
                "No.",
                "That is all."
            ]
        );
    }

    #[test]
    fn dots_between_words_end_no_sentence() {
        let range = "A window run is started with --window START..END.";
        assert_eq!(sentences(&format!("{range} It ends.")), [range, "It ends."]);
        for whole in ["FROM_DAY...TO_DAY is a period.", "Versions 1.0..2.0 and A..B are meant.", "Call it [A..Z]."] {
            assert_eq!(sentences(whole), [whole]);
        }
        assert_eq!(sentences("He waited... Then it rained."), ["He waited...", "Then it rained."]);
    }

    #[test]
    fn a_code_word_may_end_a_sentence_before_lower_case() {
        let text = "Files are kept in KEPT_FILES. undo reverts it. See max. value and e.g. this.";
        let parts = ["Files are kept in KEPT_FILES.", "undo reverts it.", "See max. value and e.g. this."];
        assert_eq!(sentences(text), parts);
    }

    #[test]
    fn a_quotation_of_several_sentences_stays_together() {
        let text = "It was late. “We waited. Nobody came,” said Hallan. It rained.";
        assert_eq!(passages(text, 320), ["It was late.", "“We waited. Nobody came,” said Hallan.", "It rained."]);
        assert_eq!(passages(text, 30), ["It was late.", "It rained."]);
        assert_eq!(passages("He said: “We waited. Nobody came.", 320), ["He said: “We waited."]);
    }

    #[test]
    fn marks_are_closed_or_not() {
        for closed in [
            "It's the workers’ 19\" rack (of '98), isn't it?",
            "“He said ‘wait’ to me,” she said.",
            "„Wir warten“, sagte er (leise).",
            "« Nous attendons », dit-il.",
            "»Wir warten«, sagte er.",
            "The \"best\" of 'all' worlds :) and ;-)",
            "a) first and 2) second",
            "Rock 'n' roll ’til dawn",
        ] {
            assert_eq!(marks(closed), Marks::Closed, "{closed}");
        }
        for open in ["“We wait", "He said \"wait", "(see below", "„Wir warten", "« Nous", "He said, ‘We wait"] {
            assert_eq!(marks(open), Marks::Open, "{open}");
        }
        for torn in ["We wait,” he said.", "nobody came) there", "We wait,' he said.", "We wait.’"] {
            assert_eq!(marks(torn), Marks::Torn, "{torn}");
        }
    }

    /// Asserts that the parts are slices of the text, in its order and without overlap.
    #[track_caller]
    fn assert_in_order(text: &str, parts: &[&str]) {
        let mut end = 0;
        for part in parts {
            let start = part.as_ptr() as usize - text.as_ptr() as usize;
            assert!(start >= end, "{text:?}: {parts:?}");
            assert_eq!(text.get(start..start + part.len()), Some(*part), "{text:?}: {parts:?}");
            assert_eq!(part.trim(), *part, "{text:?}: {parts:?}");
            end = start + part.len();
        }
    }

    #[test]
    fn odd_texts_are_cut_into_slices_in_their_order() {
        for text in ["", "…", "”", ".", "“”", "A.", "ß.", "\u{202e}(“", "12.", "。「", "'", "’’’", "- . -"]
        {
            let (whole, quoted) = (sentences(text), passages(text, 10));
            assert_in_order(text, &whole);
            assert_in_order(text, &quoted);
            let has_mark = text.contains(['“', '”', '’', '\'', '(']);
            assert!(has_mark || marks(text) == Marks::Closed, "{text:?}");
            assert!(quoted.len() <= whole.len(), "{text:?}: {quoted:?} of {whole:?}");
            assert!(whole.iter().all(|sentence| sentence.contains(char::is_alphanumeric)), "{text:?}: {whole:?}");
        }
    }
}
