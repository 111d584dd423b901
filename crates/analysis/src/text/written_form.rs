//! How a text writes a word: "Iran", "SQLite", but "ferries".
//!
//! Input: a word or phrase in lower case, and the title and body of a text that contains it. Output: the word as it is to
//! be shown. Called where reasons name the words of a text.

/// How often a word that never occurs in lower case must begin a sentence to count as a name.
const MIN_UNCLEAR: usize = 2;

/// Returns the word as the text writes it within sentences. A first capital says little where the word begins a sentence,
/// and nothing in a title whose words all begin with capitals.
#[must_use]
pub fn written_form(word: &str, title: &str, body: &str) -> String {
    let has_inner_capital = |form: &str| form.chars().skip(1).any(char::is_uppercase);
    let (of_title, is_title_case) = (forms(title, word), is_title_case(title));
    let of_title = of_title.filter(|(form, _)| !is_title_case || form == word || has_inner_capital(form));
    let (mut clear, mut unclear) = (None, Vec::new());
    for (form, is_first) in forms(body, word).chain(of_title) {
        if form == *word {
            return form;
        }
        if !is_first || has_inner_capital(&form) {
            clear.get_or_insert(form);
        } else {
            unclear.push(form);
        }
    }
    let of_unclear = if unclear.len() >= MIN_UNCLEAR { unclear.into_iter().next() } else { None };
    clear.or(of_unclear).unwrap_or_else(|| word.to_owned())
}

/// Returns the places where the text has the word, as written, and whether each begins a sentence.
fn forms<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = (String, bool)> + 'a {
    let wanted: Vec<&str> = word.split([' ', '-']).collect();
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let length = rest[start..].find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len() - start);
        let at = text.len() - rest.len() + start;
        words.push((at, &text[at..at + length]));
        rest = &text[at + length..];
    }
    let count = wanted.len();
    (0..(words.len() + 1).saturating_sub(count)).filter_map(move |number| {
        let found = words.get(number..number + count)?;
        let is_same = found.iter().zip(&wanted).all(|((_, found), wanted)| found.to_lowercase() == **wanted);
        let ((start, _), (last, end)) = (*found.first()?, *found.last()?);
        is_same.then(|| (text[start..last + end.len()].to_owned(), begins_sentence(&text[..start])))
    })
}

fn begins_sentence(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '“', '"', '‘', '\'', '(', '[', '\u{a0}']);
    before.is_empty() || before.ends_with(['.', '!', '?', ':', '\n', '…', '•'])
}

/// Whether most words after the first begin with a capital, as in "The Ferry That Never Came".
fn is_title_case(title: &str) -> bool {
    let words = || title.split_whitespace().skip(1).filter(|word| word.chars().count() > 3);
    let capital = words().filter(|word| word.starts_with(char::is_uppercase)).count();
    2 * capital > words().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_its_capitals_and_a_word_has_none() {
        for (word, title, body, expected) in [
            ("iran", "Talks go on", "The talks with Iran go on.", "Iran"),
            ("iran", "Iran Says No", "Iran says no. “Iran is not alone.”", "Iran"),
            ("ferries", "Ferries Are Late", "Ferries are late.", "ferries"),
            ("iran", "Talks with Iran go on", "Iran says so.", "Iran"),
            ("ferries", "Ferries Are Late", "Ferries are late. All ferries wait.", "ferries"),
            ("ferries", "The Late Ferries Of Kelmouth", "", "ferries"),
            ("sqlite", "SQLite Is Everywhere", "", "SQLite"),
            ("middle east", "", "Peace in the Middle East is far.", "Middle East"),
            ("self-hosted", "", "A Self-hosted wiki", "Self-hosted"),
            ("self-hosted", "", "A self hosted wiki", "self hosted"),
            ("walrus", "A ferry", "It is late.", "walrus"),
            ("", "A ferry", "It is late.", ""),
        ] {
            assert_eq!(written_form(word, title, body), expected, "{word}: {title}. {body}");
        }
    }
}
