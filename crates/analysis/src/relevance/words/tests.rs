use super::*;

fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_query_word(text, |word| found.push(word.to_owned()));
    found
}

#[test]
fn words_are_folded() {
    assert_eq!(
        words("The U.S. and Iran’s self-hosted C++ apps"),
        ["the", "usa", "and", "iran", "self", "hosted", "c++", "apps"]
    );
    assert_eq!(words("Tell us, in the US: a 5 km run. Z."), ["tell", "us", "in", "the", "usa", "5", "km", "run"]);
    assert_eq!(words("Größe, ÉTAT"), ["größe", "état"]);
}

fn keys(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_key(text, |key| {
        found.push(key.text().into_string());
        true
    });
    found
}

proptest::proptest! {
    #[test]
    fn keys_are_the_words(text in "([A-Za-z0-9+#.'’ßÉé US-]{0,6} ?){0,12}|\\PC{0,60}") {
        proptest::prop_assert_eq!(keys(&text), words(&text));
    }
}

#[test]
fn keys_of_long_words_are_the_words() {
    let text =
        "Donaudampfschiff fifteenletters1 a-sixteen-letter1word US USA's U.S. 7 x C++, l’État seventeenletters17";
    assert_eq!(keys(text), words(text));
}

#[test]
fn a_word_is_found_as_the_text_writes_it() {
    let text = "Tell us of the U.S. and Iran’s self-hosted apps by ICE in the Middle East";
    for (phrase, written) in [
        ("usa", Some("U.S.")),
        ("iran", Some("Iran")),
        ("self-hosted", Some("self-hosted")),
        ("middle east", Some("Middle East")),
        ("ICE", Some("ICE")),
        ("east end", None),
        ("ice", None),
        ("", None),
    ] {
        assert_eq!(as_written(phrase, text), written, "{phrase}");
    }
    assert_eq!(as_written("usa", "Tell us"), None);
}

#[test]
fn forms_of_one_word_have_one_stem() {
    for forms in [
        &["election", "elections"][..],
        &["trade", "trading", "traded", "trades"],
        &["policy", "policies"],
        &["movie", "movies"],
        &["database", "databases"],
        &["organisation", "organization", "organizations"],
        &["plan", "planned", "planning"],
        &["colour", "colors"],
    ] {
        assert!(forms.iter().all(|form| light_stem(form) == light_stem(forms[0])), "{forms:?}");
    }
}

#[test]
fn different_words_keep_different_stems() {
    let pairs =
        [("physics", "physical"), ("universe", "university"), ("police", "policies"), ("organisation", "organ")];
    assert!(pairs.iter().all(|(one, other)| light_stem(one) != light_stem(other)));
}
