//! Recognises German sentences, in which the rules would find neither days nor commands, so that all of their words
//! became a title.
//!
//! Input: the words of a sentence. Output: the first word that shows it is German. Called by [`crate::language::read`].

use super::tokens::Token;

/// Words for days and times that are no English words.
const TIMES: &str = "heute|übermorgen|uebermorgen|gestern|vorgestern|jeden|jede|jedes|nächsten|nächste|nächster|\
    nächstes|naechsten|naechste|kommenden|kommende|täglich|taeglich|wöchentlich|woechentlich|monatlich|jährlich|\
    jaehrlich|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|uhr|wochenende|januar|februar|märz|\
    maerz|oktober|dezember";

/// Names of days and months that people are called too.
const NAMES: &str = "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|juni|juli";

/// Words before such a name that make it a day.
const BEFORE_NAMES: &str = "am|bis|ab|zum|auf|vom|im|diesen|seit|von";

/// Verbs that begin a command, and words that begin a question.
const BEGINNINGS: &str = "verschiebe|verschieb|verschieben|lösche|lösch|loesche|entferne|streiche|streich|erinnere|\
    erinner|trage|trag|füge|fuege|benenne|ändere|aendere|markiere|storniere|notiere|erledige|setze|wiederhole|wann|\
    welche|welcher";

/// Words that such a verb may follow.
const BEFORE_BEGINNINGS: &str = "und|bitte|dann";

/// Returns the first word that is a German word for a time, or begins a German command.
#[must_use]
pub fn german_word(tokens: &[Token]) -> Option<&Token> {
    (0..tokens.len()).find(|at| is_german(tokens, *at)).map(|at| &tokens[at])
}

fn is_german(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    // The form that is compared elsewhere may have been corrected to an English word.
    let lower = token.text.to_lowercase();
    let is_in = |list: &str| !token.quoted && list.split('|').any(|word| word == lower);
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    let begins = before.is_none_or(Token::is_mark) && at + 1 < tokens.len();
    let follows = |list: &str| before.is_some_and(|before| before.is_one_of(list));
    let is_number = |token: &Token| token.text.starts_with(|c: char| c.is_ascii_digit());
    // "Morgen" and "Montag" are surnames too.
    let is_tomorrow = is_in("morgen") && (begins || token.text == lower);
    let begins_title = begins && before.is_none_or(|before| before.is(":"));
    let is_dated = before.is_some_and(is_number) || (follows(".") && at > 1 && is_number(&tokens[at - 2]));
    let is_day = is_in(NAMES) && (begins_title || is_dated || follows(BEFORE_NAMES));
    let is_hour = is_in("um") && tokens.get(at + 1).is_some_and(is_number);
    let is_beginning = is_in(BEGINNINGS) && (begins || follows(BEFORE_BEGINNINGS));
    is_in(TIMES) || is_tomorrow || is_day || is_hour || is_beginning
}

#[cfg(test)]
mod tests {
    use super::german_word;
    use crate::language::text::tokens::tokens;

    #[test]
    fn german_times_and_commands_are_found_and_names_are_not() {
        for (say, word) in [
            ("übermorgen Zahnarzt um 10", Some("übermorgen")),
            ("morgen Milch kaufen", Some("morgen")),
            ("Morgen Milch kaufen", Some("Morgen")),
            ("Treffen mit Tom am Dienstag", Some("Dienstag")),
            ("Zahnarzt um 10", Some("um")),
            ("Verschiebe den Bericht", Some("Verschiebe")),
            ("add a todo: Lösche die Fotos", Some("Lösche")),
            ("Steuer bis 31. Juli", Some("Juli")),
            ("Milch kaufen", None),
            ("call Ms Morgen on Monday", None),
            ("email Mr Freitag about the contract", None),
            ("add \"morgen Milch kaufen\"", None),
            ("call Juli tomorrow", None),
        ] {
            assert_eq!(german_word(&tokens(say)).map(|token| token.text.as_str()), word, "{say}");
        }
    }
}
