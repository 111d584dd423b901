//! Removes references to the day from a block's text: task marks, "learned today that", dates and days. The rest stays
//! word for word, and so does all that is no prose: code, links, addresses. A full stop is added only to prose that has
//! none.

use std::ops::Range;

use crate::opaque::Region;
use crate::structure;

/// Openings of diary sentences that knowledge does not have, longest first.
const OPENINGS: [&str; 36] = [
    "today i learned that ",
    "today i learned: ",
    "today i learned ",
    "i learned today that ",
    "i learned that ",
    "learned today that ",
    "learnt today that ",
    "learned today: ",
    "learned that ",
    "learnt that ",
    "learned: ",
    "learnt: ",
    "lesson learned: ",
    "lesson: ",
    "key insight: ",
    "insight: ",
    "takeaway: ",
    "til that ",
    "til: ",
    "til ",
    "i discovered that ",
    "discovered today that ",
    "discovered that ",
    "discovered ",
    "found out today that ",
    "found out that ",
    "found out: ",
    "it turns out that ",
    "it turns out ",
    "turns out that ",
    "turns out ",
    "realised that ",
    "realized that ",
    "good to know: ",
    "note to self: ",
    "note: ",
];
const MARKS: [&str; 12] = [
    "TODO ",
    "DOING ",
    "DONE ",
    "LATER ",
    "NOW ",
    "WAITING ",
    "WAIT ",
    "IN-PROGRESS ",
    "CANCELED ",
    "CANCELLED ",
    "[ ] ",
    "[x] ",
];
/// Marks of links, references, macros and the addresses of links, between which a text stays as it is.
const ENCLOSED: [(&str, &str); 4] = [("[[", "]]"), ("((", "))"), ("{{", "}}"), ("](", ")")];
const TIMES: [&str; 10] = [
    "earlier today",
    "today",
    "yesterday",
    "this morning",
    "this afternoon",
    "this evening",
    "tonight",
    "last night",
    "right now",
    "just now",
];

/// Rewords a block's text. `above` contains the block's ancestors, the nearest last. If the text begins with "It is" or
/// "This has", the pronoun is replaced with the subject found there.
#[must_use]
pub fn reword(text: &str, above: &[String]) -> String {
    let mut lines: Vec<String> = text.lines().map(|line| line.trim_end().to_owned()).collect();
    let is_prose = |line: &str| !line.trim().is_empty() && Region::opened_by(line).is_none();
    let prose: Vec<&str> = lines.iter().map(String::as_str).take_while(|line| is_prose(line)).collect();
    let structure = structure::begins_at(&prose);
    // A table or a quote stays as it is, and so does prose directly above one.
    if structure == Some(0) {
        return lines.join("\n");
    }
    let last = prose.len().saturating_sub(1);
    if let Some(first) = lines.first_mut() {
        *first = capitalised(&with_subject(&without_times(&without_opening(first.trim())), above));
    }
    // A sentence ends with the last line of its paragraph.
    if let Some(line) = lines.get_mut(last).filter(|_| structure.is_none()) {
        *line = with_full_stop(line, last > 0);
    }
    lines.join("\n")
}

fn without_opening(text: &str) -> String {
    let text = MARKS.iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text);
    let text = without_heading_signs(text);
    let labelled = with_plain_label(text);
    let lower = labelled.to_lowercase();
    let opening = OPENINGS.iter().find(|opening| lower.starts_with(*opening));
    opening.and_then(|opening| labelled.get(opening.len()..)).unwrap_or(text).to_owned()
}

/// Removes the emphasis of a label at the beginning: "Learned: that" of "**Learned:** that".
fn with_plain_label(text: &str) -> String {
    for mark in ["**", "__", "*", "_"] {
        let label = text.strip_prefix(mark).and_then(|rest| rest.split_once(mark));
        if let Some((label, rest)) = label
            && (label.ends_with(':') || rest.starts_with(':'))
        {
            return format!("{label}{rest}");
        }
    }
    text.to_owned()
}

/// Removes the number signs of a heading, which a space follows. That of a tag (`#sqlite`) stays.
fn without_heading_signs(text: &str) -> &str {
    let text = text.trim_start();
    let rest = text.trim_start_matches('#');
    if rest.is_empty() || rest.starts_with(' ') { rest.trim_start() } else { text }
}

/// Removes phrases that name a day or time, with an adjacent comma.
fn without_times(text: &str) -> String {
    let mut text = text.to_owned();
    for time in TIMES {
        while let Some(at) = find_word(&text, time) {
            let before = text.get(..at).unwrap_or_default().trim_end().trim_end_matches(',').to_owned();
            let after = text.get(at + time.len()..).unwrap_or_default().trim_start_matches(',').trim_start().to_owned();
            let space =
                if before.is_empty() || after.is_empty() || after.starts_with(['.', ',', ';', ':']) { "" } else { " " };
            text = format!("{before}{space}{after}");
        }
    }
    text
}

/// Finds a word of the prose: one of code, of a link or of an address stays.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let lower = text.to_lowercase();
    // Byte positions in the lower-case text are valid only if both texts have the same length.
    let is_same_length = lower.len() == text.len();
    let no_prose = no_prose(&lower);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '`');
    let found = lower.match_indices(word).find(|(at, _)| {
        let before = lower.get(..*at).and_then(|before| before.chars().next_back());
        let mut after = lower.get(at + word.len()..).unwrap_or_default().chars();
        let next = after.next();
        let is_in_name = before == Some('.') || next == Some('.') && after.next().is_some_and(is_part);
        !before.is_some_and(is_part)
            && !next.is_some_and(is_part)
            && !is_in_name
            // "Today's release" without its day would begin with "'s".
            && !matches!(next, Some('\'' | '’' | '('))
            && !no_prose.iter().any(|range| range.contains(at))
    });
    found.filter(|_| is_same_length).map(|(at, _)| at)
}

/// Returns the byte ranges of a text that are no prose: what is between [`ENCLOSED`] or between equal numbers of
/// backticks, tags, and addresses and paths, which are words with one of `/\@`.
fn no_prose(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let code = rest.get(..ticks).filter(|ticks| !ticks.is_empty()).map(|ticks| (ticks, ticks));
        let opened = code.or_else(|| ENCLOSED.into_iter().find(|(open, _)| rest.starts_with(open)));
        let closed = opened.and_then(|(open, close)| {
            let inside = rest.get(open.len()..)?;
            Some(at + open.len() + inside.find(close)? + close.len())
        });
        let next = closed.unwrap_or(at + rest.chars().next().map_or(1, char::len_utf8).max(ticks));
        ranges.extend(closed.map(|end| at..end));
        at = next;
    }
    let mut start = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let end = start + word.len();
        if word.starts_with('#') || word.contains(['/', '\\', '@']) {
            ranges.push(start..end);
        }
        start = end;
    }
    ranges
}

fn with_subject(text: &str, above: &[String]) -> String {
    let Some((pronoun, rest)) = text.split_once(' ') else { return text.to_owned() };
    let is_pronoun = ["it", "this", "that", "it's"].contains(&pronoun.to_lowercase().as_str());
    let is_verb = ["is", "has", "can", "needs", "takes", "does", "must", "should", "works"]
        .iter()
        .any(|verb| rest.starts_with(&format!("{verb} ")));
    match above.iter().rev().find_map(|text| subject(text)).filter(|_| is_pronoun && is_verb) {
        Some(subject) => format!("{subject} {rest}"),
        None => text.to_owned(),
    }
}

/// Returns the subject of an ancestor block: its link, or its text if that has at most three words.
fn subject(text: &str) -> Option<String> {
    let first = text.lines().next()?.trim().trim_end_matches(':');
    let link = first.split_once("[[").and_then(|(_, rest)| rest.split_once("]]")).map(|(name, _)| name);
    if let Some(name) = link {
        return Some(format!("[[{name}]]"));
    }
    let first = without_opening(first);
    let first = first.strip_prefix("Tried ").unwrap_or(&first);
    (!first.is_empty() && first.split_whitespace().count() <= 3).then(|| first.to_owned())
}

fn capitalised(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let first_word = text.split_whitespace().next().unwrap_or_default();
    // Code, addresses and names such as "iPhone" are not capitalised.
    let is_as_written = first_word.starts_with('`')
        || first_word.trim_end_matches(['.', ',', ';', ':']).contains(['.', '_', '(', '/'])
        || first_word.chars().skip(1).any(char::is_uppercase);
    let capital = |first: char| if is_as_written { first.to_string() } else { first.to_uppercase().to_string() };
    let first = chars.next().map(capital).unwrap_or_default();
    format!("{first}{}", chars.as_str())
}

/// Adds a full stop to prose that has none. A line of up to three words that continues none is no sentence.
fn with_full_stop(line: &str, continues: bool) -> String {
    let is_prose = continues || line.split_whitespace().count() > 3;
    if is_ended(line) || !is_prose { line.to_owned() } else { format!("{line}.") }
}

/// Returns whether a text needs no full stop: it has one, also within closing marks, or ends in a tag, a link or an
/// address, of which the full stop would become a part.
fn is_ended(text: &str) -> bool {
    let bare = text.trim_end_matches(['"', '”', '“', '’', '\'', '»', '«', ')', '*', '_']);
    let last_word = bare.split_whitespace().next_back().unwrap_or_default();
    let is_reference = bare.ends_with(']') || last_word.starts_with('#') || last_word.contains("://");
    bare.ends_with(['.', '!', '?', '…', ':', '|', '>']) || is_reference
}

#[cfg(test)]
mod tests {
    use super::reword;

    #[test]
    fn a_text_that_is_ended_stays_as_it_is() {
        for text in [
            "Quote: \"Bakers who ask how should ask about why.\"",
            "Quote: “Bakers who ask how should ask about why.”",
            "The oven loses most of its heat, as [[Heat pumps]]",
            "The oven loses most of its heat (see [[Heat pumps]])",
            "WAL readers block no writer, so all can read #sqlite",
            "The dough is told from its smell, see https://rye.example/dough",
            "**Rye dough always needs acid to rise.**",
            "The dough rises for an hour, and then…",
        ] {
            assert_eq!(reword(text, &[]), text);
        }
        assert_eq!(reword("Bakers say \"acid\" and mean \"sour\"", &[]), "Bakers say \"acid\" and mean \"sour\".");
        assert_eq!(reword("Rye dough needs acid (or time)", &[]), "Rye dough needs acid (or time).");
    }

    #[test]
    fn a_table_and_a_quote_stay_as_they_are_and_a_sentence_ends_with_its_last_line() {
        for text in [
            "| flour | water today |\n|---|---|\n| rye | more |",
            "a | b | c d\n--- | --- | ---\n1 | 2 | 3",
            "> Bread dries out when it is in the fridge,\n> because starch recrystallises",
            "Rye bread needs a lot\n: of acid",
            "The prices of bread and flour\n| a |\n|---|",
        ] {
            assert_eq!(reword(text, &[]), text);
        }
        for (text, expected) in [
            ("Bread dries out when it is\nin the fridge", "Bread dries out when it is\nin the fridge."),
            ("bread dries out\nwhen cold.", "Bread dries out\nwhen cold."),
            ("It needs much acid\n```\nls\n```", "It needs much acid.\n```\nls\n```"),
            ("Rye dough needs acid\n\nmore text here to come", "Rye dough needs acid.\n\nmore text here to come"),
        ] {
            assert_eq!(reword(text, &[]), expected);
        }
    }

    #[test]
    fn references_to_the_day_are_removed() {
        let cases = [
            (
                "Learned today that Python's `asyncio.Queue` is not thread-safe",
                "Python's `asyncio.Queue` is not thread-safe.",
            ),
            ("TIL: tugs pull 65 tonnes", "Tugs pull 65 tonnes."),
            ("TODO Rye dough needs acid today, always", "Rye dough needs acid always."),
            ("`fsync` on a file does not sync its directory", "`fsync` on a file does not sync its directory."),
            ("A line\n```\ntoday\n```", "A line\n```\ntoday\n```"),
            ("It turns out Todaysoft ships a parser", "Todaysoft ships a parser."),
            ("Today's tokio release drops a platform", "Today's tokio release drops a platform."),
            ("Yesterday’s build, today, is too old", "Yesterday’s build is too old."),
            ("#sqlite WAL readers block no writer", "#sqlite WAL readers block no writer."),
            ("TODO #sqlite readers today block nobody", "#sqlite readers block nobody."),
            ("## Rye dough always needs acid", "Rye dough always needs acid."),
            ("Learned: rye dough always needs acid", "Rye dough always needs acid."),
            ("Insight: rye dough always needs acid", "Rye dough always needs acid."),
            ("**Key insight:** rye dough always needs acid", "Rye dough always needs acid."),
            ("**Learned**: rye dough always needs acid", "Rye dough always needs acid."),
            ("**Rye** dough always needs acid", "**Rye** dough always needs acid."),
            ("Decision: rye dough gets acid", "Decision: rye dough gets acid."),
            ("`date.today()` ignores the zone, today too", "`date.today()` ignores the zone too."),
            ("date.today() ignores the zone today", "date.today() ignores the zone."),
            ("``echo ` today`` prints it", "``echo ` today`` prints it."),
            ("See https://docs.python.example/today for zones", "See https://docs.python.example/today for zones."),
            ("See [[Python today]] and [it](notes today.md) today", "See [[Python today]] and [it](notes today.md)."),
            ("The file src/today.rs of today.example is #today", "The file src/today.rs of today.example is #today"),
            ("An open ` before what is slow today is prose", "An open ` before what is slow is prose."),
            ("https://rye.example says why dough needs acid", "https://rye.example says why dough needs acid."),
        ];
        for (text, expected) in cases {
            assert_eq!(reword(text, &[]), expected);
        }
        assert_eq!(
            reword("This is Python-specific and slow", &["Tried Textual framework".to_owned()]),
            "Textual framework is Python-specific and slow."
        );
        assert_eq!(reword("It needs a licence", &["Call about [[Tugs]] at 9".to_owned()]), "[[Tugs]] needs a licence.");
    }
}
