//! Past tense forms of verbs and their present tense.

use super::words::{WordList, word_list};

/// Irregular verbs, as "past=present".
static IRREGULAR: WordList = WordList::new(|| word_list(include_str!("../words/irregular.txt")));

/// Subjects of a completion.
pub const SUBJECTS: &str = "i've already|i have already|i already|i've just|i have just|i just|i've|i have|i|\
    we've already|we have already|\
    we already|we've|we have|we|just|already|i've finally|i have finally|i finally|finally|i managed to|managed to";

/// Returns the present tense forms that `word` may be the past tense of.
pub fn presents(word: &str) -> Vec<String> {
    if let Some(present) = IRREGULAR.split('|').find_map(|pair| pair.split_once('=').filter(|(past, _)| *past == word))
    {
        return vec![present.1.to_owned()];
    }
    let Some(stem) = word.strip_suffix("ed").filter(|stem| stem.len() > 2) else { return Vec::new() };
    let mut found = vec![stem.to_owned(), format!("{stem}e")];
    if let Some(stem) = stem.strip_suffix('i') {
        found.push(format!("{stem}y"));
    }
    if let Some(last) = stem.chars().last()
        && let Some(shorter) = stem.strip_suffix(last).filter(|shorter| shorter.ends_with(last))
    {
        found.push(shorter.to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::presents;

    #[test]
    fn a_past_form_has_its_presents() {
        for (past, present) in [
            ("paid", "pay"),
            ("called", "call"),
            ("renewed", "renew"),
            ("meditated", "meditate"),
            ("tidied", "tidy"),
            ("mopped", "mop"),
            ("repaid", "repay"),
            ("dealt", "deal"),
            ("tied", "tie"),
        ] {
            assert!(presents(past).iter().any(|found| found == present), "{past}: {:?}", presents(past));
        }
        assert!(presents("red").is_empty() && presents("milk").is_empty());
        assert_eq!(presents("哈哈ed"), ["哈哈", "哈哈e", "哈"]);
    }
}
