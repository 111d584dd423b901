//! Letters without their accents.
//!
//! Input: texts. Output: texts as both databases index them, whatever accents a writer or a reader types. Called for
//! the terms of the index and wherever what a reader typed is compared with a text. Pure.

/// Returns a text in lower case without the accents of Latin, Greek and Cyrillic letters.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            folded.push(c.to_ascii_lowercase());
        } else if !is_mark(c) {
            // "İ" is "i" with a mark in lower case.
            for lower in c.to_lowercase().filter(|lower| !is_mark(*lower)) {
                match without_accent(lower) {
                    Some(plain) => folded.push_str(plain),
                    None => folded.push(wide_to_ascii(lower).unwrap_or(lower)),
                }
            }
        }
    }
    folded
}

/// Whether it is an accent that follows its letter, as in texts in the decomposed form of Unicode.
#[must_use]
pub const fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Full-width letters and digits, which Chinese and Japanese texts use for Latin ones.
fn wide_to_ascii(c: char) -> Option<char> {
    if !matches!(c, '\u{ff10}'..='\u{ff19}' | '\u{ff41}'..='\u{ff5a}') {
        return None;
    }
    char::from_u32(u32::from(c) - 0xfee0)
}

/// Returns a letter in lower case without its accent; `None` if it has none. As Unicode decomposes it, or for letters
/// with a stroke and ligatures as Lucene's `ASCIIFoldingFilter` writes them.
pub(crate) const fn without_accent(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'þ' => "th",
        'æ' => "ae",
        'œ' => "oe",
        'ĳ' => "ij",
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        'ﬅ' | 'ﬆ' => "st",
        '\u{e0}'..='\u{e5}' | '\u{101}' | '\u{103}' | '\u{105}' => "a",
        'ç' | '\u{107}' | '\u{109}' | '\u{10b}' | '\u{10d}' => "c",
        'ð' | '\u{10f}' | '\u{111}' => "d",
        '\u{e8}'..='\u{eb}' | '\u{113}' | '\u{115}' | '\u{117}' | '\u{119}' | '\u{11b}' => "e",
        '\u{11d}' | '\u{11f}' | '\u{121}' | '\u{123}' => "g",
        '\u{125}' | '\u{127}' => "h",
        '\u{ec}'..='\u{ef}' | '\u{129}' | '\u{12b}' | '\u{12d}' | '\u{12f}' | '\u{131}' => "i",
        '\u{135}' => "j",
        '\u{137}' => "k",
        '\u{13a}' | '\u{13c}' | '\u{13e}' | '\u{140}' | '\u{142}' => "l",
        'ñ' | '\u{144}' | '\u{146}' | '\u{148}' => "n",
        '\u{f2}'..='\u{f6}' | 'ø' | '\u{14d}' | '\u{14f}' | '\u{151}' => "o",
        '\u{155}' | '\u{157}' | '\u{159}' => "r",
        '\u{15b}' | '\u{15d}' | '\u{15f}' | '\u{161}' => "s",
        '\u{163}' | '\u{165}' | '\u{167}' => "t",
        '\u{f9}'..='\u{fc}' | '\u{169}' | '\u{16b}' | '\u{16d}' | '\u{16f}' | '\u{171}' | '\u{173}' => "u",
        '\u{175}' => "w",
        'ý' | 'ÿ' | '\u{177}' => "y",
        '\u{17a}' | '\u{17c}' | '\u{17e}' => "z",
        '\u{180}'..='\u{24f}' => return without_rare_accent(c),
        '\u{370}'..='\u{45f}' => return without_greek_or_cyrillic_accent(c),
        '\u{1e00}'..='\u{1eff}' => return without_additional_accent(c),
        _ => return None,
    })
}

/// Latin Extended-B.
const fn without_rare_accent(c: char) -> Option<&'static str> {
    Some(match c {
        'ǽ' | 'ǣ' => "ae",
        'ǎ' | 'ǟ' | 'ǡ' | 'ǻ' | 'ȁ' | 'ȃ' | 'ȧ' => "a",
        'ȅ' | 'ȇ' | 'ȩ' => "e",
        'ǧ' | 'ǵ' => "g",
        'ȟ' => "h",
        'ǐ' | 'ȉ' | 'ȋ' => "i",
        'ǰ' => "j",
        'ǩ' => "k",
        'ǹ' => "n",
        'ơ' | 'ǒ' | 'ǫ' | 'ǭ' | 'ǿ' | 'ȍ' | 'ȏ' | 'ȫ' | 'ȭ' | 'ȯ' | 'ȱ' => "o",
        'ȑ' | 'ȓ' => "r",
        'ș' => "s",
        'ț' => "t",
        'ư' | 'ǔ' | 'ǖ' | 'ǘ' | 'ǚ' | 'ǜ' | 'ȕ' | 'ȗ' => "u",
        'ȳ' => "y",
        _ => return None,
    })
}

const fn without_greek_or_cyrillic_accent(c: char) -> Option<&'static str> {
    Some(match c {
        'ά' => "α",
        'έ' => "ε",
        'ή' => "η",
        'ί' | 'ϊ' | 'ΐ' => "ι",
        'ό' => "ο",
        'ύ' | 'ϋ' | 'ΰ' => "υ",
        'ώ' => "ω",
        'ς' => "σ",
        'ё' => "е",
        'й' => "и",
        'ї' => "і",
        'ў' => "у",
        _ => return None,
    })
}

/// Latin Extended Additional, in which lower case and upper case alternate.
const fn without_additional_accent(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{1e00}'..='\u{1e01}' | '\u{1e9a}' | '\u{1ea0}'..='\u{1eb7}' => "a",
        '\u{1e02}'..='\u{1e07}' => "b",
        '\u{1e08}'..='\u{1e09}' => "c",
        '\u{1e0a}'..='\u{1e13}' => "d",
        '\u{1e14}'..='\u{1e1d}' | '\u{1eb8}'..='\u{1ec7}' => "e",
        '\u{1e1e}'..='\u{1e1f}' => "f",
        '\u{1e20}'..='\u{1e21}' => "g",
        '\u{1e22}'..='\u{1e2b}' | '\u{1e96}' => "h",
        '\u{1e2c}'..='\u{1e2f}' | '\u{1ec8}'..='\u{1ecb}' => "i",
        '\u{1e30}'..='\u{1e35}' => "k",
        '\u{1e36}'..='\u{1e3d}' => "l",
        '\u{1e3e}'..='\u{1e43}' => "m",
        '\u{1e44}'..='\u{1e4b}' => "n",
        '\u{1e4c}'..='\u{1e53}' | '\u{1ecc}'..='\u{1ee3}' => "o",
        '\u{1e54}'..='\u{1e57}' => "p",
        '\u{1e58}'..='\u{1e5f}' => "r",
        '\u{1e60}'..='\u{1e69}' => "s",
        '\u{1e6a}'..='\u{1e71}' | '\u{1e97}' => "t",
        '\u{1e72}'..='\u{1e7b}' | '\u{1ee4}'..='\u{1ef1}' => "u",
        '\u{1e7c}'..='\u{1e7f}' => "v",
        '\u{1e80}'..='\u{1e89}' | '\u{1e98}' => "w",
        '\u{1e8a}'..='\u{1e8d}' => "x",
        '\u{1e8e}'..='\u{1e8f}' | '\u{1e99}' | '\u{1ef2}'..='\u{1ef9}' => "y",
        '\u{1e90}'..='\u{1e95}' => "z",
        _ => return None,
    })
}
