//! Removes the phrases that publishing software appends to texts. Called on the plain text of bodies.

/// Last lines without content, besides [`INLINE`], compared in lower case and without surrounding arrows, dots and
/// brackets.
const EMPTY_LINES: [&str; 18] = [
    "comments",
    "view comments",
    "more",
    "keep reading",
    "read full article",
    "read the full article",
    "read full story",
    "read the full story",
    "read the rest of this entry",
    "read on",
    "learn more",
    "permalink",
    // German
    "mehr",
    "zum artikel",
    "kommentare",
    // French
    "lire l'article",
    "lire l’article",
    // Spanish, Portuguese, Italian, Dutch
    "continuar lendo",
];

/// Links to the full text, which may also follow a sentence in its line, compared in lower case.
const INLINE: [&str; 14] = [
    "read more",
    "continue reading",
    "weiterlesen",
    "mehr lesen",
    "lire la suite",
    "lire plus",
    "en savoir plus",
    "seguir leyendo",
    "sigue leyendo",
    "leer más",
    "continuar leyendo",
    "leia mais",
    "leggi tutto",
    "lees verder",
];

/// Prefixes of a last line that is only a link to the full text.
const LEADING_ON: [&str; 4] = ["continue reading ", "read more about ", "read the rest of ", "read more on "];

const MAX_TAIL_CHARS: usize = 240;

/// Returns `text` without such phrases at its end; the result may be empty.
#[must_use]
pub fn strip_boilerplate(text: &str) -> &str {
    let mut kept = text.trim();
    while let Some(shorter) = strip_once(kept) {
        kept = shorter.trim_end();
    }
    kept
}

fn strip_once(text: &str) -> Option<&str> {
    if text.is_empty() {
        return None;
    }
    appeared_first(text).or_else(|| submitted_by(text)).or_else(|| empty_line(text)).or_else(|| inline_tail(text))
}

/// Matches "The post X appeared first on Y."
fn appeared_first(text: &str) -> Option<&str> {
    let (before, tail) = split_tail(text, 2 * MAX_TAIL_CHARS);
    let middle = tail.rfind(" appeared first on ").or_else(|| tail.rfind(" first appeared on "))?;
    let start = tail[..middle].rfind("The post ").or_else(|| tail[..middle].rfind("The article "))?;
    let kept = &text[..before.len() + start];
    let is_sentence = kept.is_empty() || kept.trim_end_matches(' ').ends_with(SENTENCE_ENDS);
    (is_sentence && !tail[start..].trim_end().contains('\n')).then_some(kept)
}

/// What precedes a sentence of its own: a line break, or the end of another sentence.
const SENTENCE_ENDS: [char; 9] = ['\n', '.', '…', ']', '!', '?', ')', '"', '”'];

/// Matches "submitted by /u/name [link] [comments]".
fn submitted_by(text: &str) -> Option<&str> {
    let (before, tail) = split_tail(text, MAX_TAIL_CHARS);
    let start = tail.ends_with("[comments]").then(|| tail.rfind("submitted by ")).flatten()?;
    Some(&text[..before.len() + start])
}

fn empty_line(text: &str) -> Option<&str> {
    let start = text.rfind('\n').map_or(0, |at| at + 1);
    let line = bare(&text[start..]);
    if line.chars().nth(MAX_TAIL_CHARS).is_some() {
        return None;
    }
    let line = line.to_lowercase();
    let leads_on = LEADING_ON.iter().any(|p| line.starts_with(p));
    // A single-line text with such a prefix may be the author's own sentence.
    let is_empty = |line: &str| EMPTY_LINES.iter().chain(&INLINE).any(|known| *known == line);
    ((leads_on && start > 0) || is_empty(&line)).then(|| &text[..start])
}

/// Matches "… end of the teaser. Read more".
fn inline_tail(text: &str) -> Option<&str> {
    let trimmed = text.trim_end_matches(is_decoration);
    let phrase = INLINE.into_iter().find(|phrase| ends_with_phrase(trimmed, phrase))?;
    let before = trimmed[..trimmed.len() - phrase.len()].trim_end();
    before.ends_with(['.', '…', ']', '!', '?', ')']).then_some(before)
}

/// Returns whether a text ends with a phrase, which is in lower case, in any case.
fn ends_with_phrase(text: &str, phrase: &str) -> bool {
    let end = text.len().checked_sub(phrase.len()).and_then(|start| text.get(start..));
    let mut letters = end.into_iter().flat_map(str::chars).zip(phrase.chars());
    end.is_some() && letters.all(|(letter, expected)| letter.to_lowercase().eq([expected]))
}

/// Splits off the last `chars` characters, so that only the end of a long text is searched.
fn split_tail(text: &str, chars: usize) -> (&str, &str) {
    let start = text.char_indices().rev().take(chars).last().map_or(text.len(), |(at, _)| at);
    text.split_at(start)
}

fn bare(line: &str) -> &str {
    line.trim_matches(is_decoration)
}

fn is_decoration(c: char) -> bool {
    c.is_whitespace() || matches!(c, '»' | '→' | '›' | '>' | '…' | '.' | ':' | '[' | ']' | '(' | ')' | '|' | '⇢' | '➡')
}

#[cfg(test)]
mod tests {
    use super::strip_boilerplate;

    #[test]
    fn tails_go_and_sentences_stay() {
        assert_eq!(strip_boilerplate("A text.\nThe post A text appeared first on My Blog."), "A text.");
        let own = "An introduction.\nThe post mortem lists three outages.\nThe third appeared first on a cluster.";
        assert_eq!(strip_boilerplate(own), own);
        assert_eq!(strip_boilerplate("A text. The post A text appeared first on My Blog."), "A text.");
        let quoted = "They quote what The post mortem said: it appeared first on a cluster.";
        assert_eq!(strip_boilerplate(quoted), quoted);
        assert_eq!(strip_boilerplate("A text. […]\nRead more »\nComments"), "A text. […]");
        assert_eq!(strip_boilerplate("A teaser… Continue reading →"), "A teaser…");
        assert_eq!(strip_boilerplate("A teaser.\nContinue reading A title on the site"), "A teaser.");
        assert_eq!(strip_boilerplate("Lo construyó con sus manos. Seguir leyendo"), "Lo construyó con sus manos.");
        assert_eq!(strip_boilerplate("Der Anfang …\nWeiterlesen →"), "Der Anfang …");
        assert_eq!(strip_boilerplate("Le début… Lire la suite"), "Le début…");
        assert_eq!(strip_boilerplate("Hay que leer. Leer más"), "Hay que leer.");
        assert_eq!(strip_boilerplate("Quiero seguir leyendo"), "Quiero seguir leyendo");
        assert_eq!(strip_boilerplate("Words\nsubmitted by /u/someone [link] [comments]"), "Words");
        let long = "é word ".repeat(1_000);
        assert_eq!(strip_boilerplate(&format!("{long}\nThe post é appeared first on É.")), long.trim());
        assert_eq!(strip_boilerplate(&format!("{long}submitted by /u/é [link] [comments]")), long.trim());
        assert_eq!(strip_boilerplate(&long), long.trim());
        assert_eq!(strip_boilerplate("Comments"), "");
        assert_eq!(strip_boilerplate("I want to read more"), "I want to read more");
        assert_eq!(
            strip_boilerplate("Continue reading books when you are old."),
            "Continue reading books when you are old."
        );
    }
}
