//! Selects the words of a text that may be learnt from a like or dislike, such that the user would recognise them.
//!
//! Input: a stored text. Output: its words without stop words, markup remnants, addresses, lone numbers and page
//! boilerplate. Called by [`crate::preferences`]; the terms are the same as in clustering.

use std::borrow::Cow;

use super::tokens::{Token, tokens_as};
use super::vocabulary::{Kind, Term};

/// Words without a subject, in addition to those of `text::tokens`: function words and the most common verbs of
/// English, German, French and Spanish. In lower case and sorted.
#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    "aber", "able", "above", "across", "actually", "ahora", "ainsi", "aller", "alles", "almost", "along", "alors",
    "already", "als", "although", "always", "among", "andere", "anderen", "another", "antes", "anyone", "anything",
    "aquí", "aren't", "around", "asked", "auch", "aucun", "aussi", "aux", "away", "back", "bei", "beim", "best",
    "better", "bien", "bist", "came", "can't", "cannot", "ce", "cela", "ces", "cet", "cette", "ceux", "chaque",
    "chez", "come", "comes", "coming", "comme", "como", "contra", "couldn't", "cuando", "da", "dabei", "damit",
    "dann", "dass", "depuis", "desde", "despite", "deux", "didn't", "diese", "diesem", "diesen", "dieser", "dieses",
    "dit", "doch", "doesn't", "don't", "donc", "donde", "dont", "dort", "dos", "durch", "einem", "einen", "einer",
    "eines", "either", "elle", "elles", "else", "encore", "enough", "entre", "er", "es", "esta", "estas", "este",
    "esto", "estos", "está", "están", "etwas", "euch", "eux", "even", "ever", "every", "everyone", "everything",
    "faire", "far", "find", "first", "found", "fue", "fueron", "gave", "gegen", "gets", "getting", "give", "given",
    "gives", "go", "goes", "going", "gone", "good", "got", "great", "habe", "haben", "hace", "hacia", "hadn't",
    "han", "hasn't", "hasta", "hatte", "hatten", "haven't", "hay", "he'd", "he'll", "he's", "herself", "hier",
    "himself", "however", "i'd", "i'll", "i'm", "i've", "ich", "ihm", "ihn", "ihnen", "ihr", "ihre", "ihren",
    "ihrer", "il", "ils", "im", "immer", "indeed", "ins", "instead", "isn't", "it'd", "it'll", "it's", "itself",
    "ja", "je", "jede", "jeder", "jetzt", "jusqu", "kann", "keep", "kein", "keine", "keinen", "knew", "know",
    "known", "knows", "können", "könnte", "last", "later", "least", "less", "let", "let's", "leur", "leurs", "like",
    "likely", "little", "long", "look", "looking", "looks", "lot", "lui", "made", "mais", "make", "makes", "making",
    "many", "maybe", "mein", "meine", "mes", "mi", "might", "mis", "moins", "mon", "much", "muss", "must", "muy",
    "más", "même", "nach", "ne", "near", "need", "needs", "neither", "never", "next", "ni", "nichts", "noch", "non",
    "nos", "nothing", "notre", "nous", "nun", "nur", "ob", "oder", "often", "ohne", "ont", "others", "otra", "otro",
    "ou", "ours", "où", "parce", "part", "per", "perhaps", "pero", "peu", "peut", "plus", "porque", "puis", "put",
    "quand", "quite", "quoi", "rather", "really", "right", "sans", "saw", "schon", "see", "seems", "seen", "sehr",
    "sein", "seine", "seinen", "seiner", "seit", "sera", "ses", "she'd", "she'll", "she's", "shouldn't", "si",
    "sie", "since", "sino", "sobre", "sogar", "soll", "something", "sometimes", "somos", "sondern", "sont", "soon",
    "sous", "still", "su", "sure", "sus", "ta", "take", "taken", "takes", "taking", "tambien", "también", "tell",
    "thank", "thanks", "that's", "theirs", "themselves", "there's", "they'd", "they'll", "they're", "they've",
    "thing", "things", "think", "though", "three", "thus", "tiene", "today", "together", "told", "took", "tous",
    "tout", "toute", "toutes", "toward", "towards", "tras", "très", "tu", "uber", "um", "unas", "uno", "unos",
    "uns", "unser", "upon", "use", "used", "uses", "using", "vers", "via", "viel", "vom", "vor", "votre", "vous",
    "want", "wanted", "wants", "waren", "wasn't", "way", "we'd", "we'll", "we're", "we've", "weil", "well", "wenn",
    "went", "wer", "werden", "weren't", "what's", "whether", "whose", "wie", "wieder", "wir", "wird", "within",
    "without", "wo", "won't", "wouldn't", "wurde", "wurden", "yes", "yet", "you'd", "you'll", "you're", "you've",
    "yours", "yourself", "zwischen", "él", "über",
];

/// Names of characters, tags, attributes and parts of addresses that remain after markup is removed, sorted.
#[rustfmt::skip]
const MARKUP_WORDS: &[&str] = &[
    "aacute", "amp", "apos", "aposs", "bdquo", "br", "bull", "class", "colspan", "com", "copy", "div", "eacute",
    "eacutes", "endif", "euro", "frasl", "gt", "h1", "h2", "h3", "h4", "height", "hellip", "hr", "href", "htm",
    "html", "http", "https", "iframe", "img", "jpeg", "jpg", "laquo", "ldquo", "li", "lsquo", "lt", "mdash",
    "middot", "nbsp", "ndash", "net", "nofollow", "noopener", "noreferrer", "org", "ouml", "php", "png", "px",
    "quot", "raquo", "rdquo", "rel", "rowspan", "rsquo", "rss", "sbquo", "shy", "span", "src", "strong", "style",
    "svg", "szlig", "td", "th", "tr", "ul", "url", "utm", "uuml", "webp", "width", "www", "xml", "xmlns", "zwj",
    "zwnj",
];

/// Words of page boilerplate, sorted.
#[rustfmt::skip]
const PAGE_WORDS: &[&str] = &[
    "abonnieren", "advertisement", "advertisements", "anmelden", "appeared", "click", "comments", "contents",
    "continue", "cookie", "cookies", "copyright", "homepage", "inscription", "leer", "lesen", "lire", "läs", "mehr",
    "menu", "newsletter", "permalink", "read", "reply", "reserved", "rss", "share", "sign", "signup", "sponsored",
    "submitted", "subscribe", "subscribed", "subscription", "suscríbete", "topics", "unsubscribe", "weiterlesen",
];

/// Returns the words that may be learnt, in order.
pub(crate) fn learnable(text: &str) -> impl Iterator<Item = Token<'_, Term>> {
    tokens_as(text, Term::of_word).filter(|token| is_learnable(token.written, token.term))
}

fn is_learnable(written: &str, term: Term) -> bool {
    let lower = written.to_lowercase().replace('’', "'");
    let bare = lower.strip_suffix("'s").unwrap_or(&lower);
    let is_excluded = [STOP_WORDS, MARKUP_WORDS, PAGE_WORDS].iter().any(|words| words.binary_search(&bare).is_ok());
    term.kind() != Kind::Form && !is_excluded && !is_number(bare) && !is_address(bare)
}

/// Returns whether a word is a number, alone or with a unit or ending: "1992", "3.5", "7th", "200m"; not "f1", "5g" or
/// "h5n1".
fn is_number(lower: &str) -> bool {
    let unit = lower.trim_start_matches(|c: char| c.is_numeric() || matches!(c, '.' | ',' | '\''));
    unit.is_empty() || unit.len() < lower.len() && UNITS.contains(&unit)
}

const UNITS: &[&str] = &[
    "am", "bn", "cm", "gb", "gbp", "k", "kg", "km", "kw", "lb", "m", "mb", "mm", "mph", "mw", "nd", "pm", "px", "rd",
    "s", "st", "tb", "th", "tn", "usd", "x",
];

fn is_address(lower: &str) -> bool {
    lower.starts_with("www.") || ENDINGS.iter().any(|ending| lower.ends_with(ending))
}

const ENDINGS: &[&str] = &[".com", ".html", ".jpg", ".net", ".org", ".php", ".png"];

/// Returns a text without addresses and leftover character references ("&amp;apos;").
pub(crate) fn without_markup(text: &str) -> Cow<'_, str> {
    let is_markup_remnant =
        |word: &str| word.contains("://") || word.contains('&') && word.contains(';') || word.contains("=\"");
    if !text.split_whitespace().any(is_markup_remnant) {
        return Cow::Borrowed(text);
    }
    let words = text.split_whitespace().map(|word| {
        if word.contains("://") || word.contains("=\"") { Cow::Borrowed("") } else { without_entities(word) }
    });
    Cow::Owned(words.collect::<Vec<_>>().join(" "))
}

/// Turns "Skerrow&apos;s" into "Skerrow s": a single letter is not a word, so that nothing of the entity remains.
fn without_entities(word: &str) -> Cow<'_, str> {
    let Some((before, rest)) = word.split_once('&') else { return Cow::Borrowed(word) };
    let name_end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '#')).unwrap_or(rest.len());
    match rest[name_end..].strip_prefix(';') {
        Some(after) => Cow::Owned(format!("{before} {}", without_entities(after))),
        None => Cow::Owned(format!("{before} {}", without_entities(rest))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        learnable(&without_markup(text)).map(|token| token.written.to_owned()).collect()
    }

    #[test]
    fn the_lists_are_in_order() {
        for list in [STOP_WORDS, MARKUP_WORDS, PAGE_WORDS] {
            assert!(list.is_sorted());
        }
    }

    #[test]
    fn what_is_no_word_of_a_matter_is_left_out() {
        assert_eq!(
            words("Skerrow&apos;s ferry &amp; the harbour&nbsp;wall, 1992"),
            ["Skerrow", "ferry", "harbour", "wall"]
        );
        assert_eq!(
            words("Read more: https://a.example/x.html?utm_source=rss aposs contents 7th 200m 3.5"),
            Vec::<String>::new()
        );
        assert_eq!(words("<img class=\"wide\" src=\"a.png\"> F1, 5G and H5N1"), ["F1", "5G", "H5N1"]);
    }

    #[test]
    fn stop_words_of_four_languages_are_left_out() {
        assert_eq!(words("they've actually been using it"), Vec::<String>::new());
        assert_eq!(words("Der Hafen wird jetzt auch ohne Fähre"), ["Hafen", "Fähre"]);
        assert_eq!(words("les ministres ont aussi fait cela"), ["ministres", "fait"]);
        assert_eq!(words("porque los puertos también están"), ["puertos"]);
    }
}
