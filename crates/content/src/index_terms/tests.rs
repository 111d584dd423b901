use super::*;

fn found(query: &str, text: &str, language: &str) -> bool {
    let terms = IndexTerms::default().terms("", text, Some(language)).body;
    let terms: Vec<&str> = terms.split(' ').collect();
    indexed(&forms(query)).iter().any(|form| terms.windows(form.len()).any(|words| words == form.as_slice()))
}

#[test]
fn accents_make_no_difference() {
    for (query, text, language) in [
        ("jeri", "A vila de Jerí", "pt"),
        ("jerí", "A vila de Jeri", "pt"),
        ("JERÍ", "jeri\u{301}", "en"),
        ("informacion", "Información pública", "es"),
        ("información", "La informacion publica", "es"),
        ("informação", "Informações públicas", "pt"),
        ("informacoes", "Informações públicas", "pt"),
        ("annoncées", "Ils ont annoncé", "fr"),
        ("annoncees", "Elles sont annoncées", "fr"),
        ("hauser", "Die Häuser am Hafen", "de"),
        ("Lodz", "Łódź leży w Polsce", "pl"),
        ("Tieng Viet", "Tiếng Việt", "vi"),
        ("strasse", "Die Straße", "de"),
        ("αθηνα", "Η Αθήνα", "el"),
        ("елка", "Новогодняя ёлка", "ru"),
        ("istanbul", "İSTANBUL", "tr"),
        ("café's", "the cafe's", "en"),
        ("iphone", "ｉＰｈｏｎｅ", "ja"),
        // As the text of some PDF files has them.
        ("offices", "The ofﬁce and its ﬂoors", "en"),
        ("floor", "The ofﬁce and its ﬂoors", "en"),
        ("ﬁnding", "She found and finds", "en"),
    ] {
        assert!(found(query, text, language), "{query} / {text}: {:?}", forms(query));
    }
    assert!(!found("jerry", "A vila de Jerí", "pt"));
}

#[test]
fn phrases_are_found_without_their_accents() {
    assert!(found("informacion publica", "La información pública del país", "es"));
    assert!(found("informação pública", "La informacao publica", "pt"));
    assert!(found("annoncees hier", "Elles sont annoncées hier", "fr"));
    assert!(!found("educacion formacion", "La educación y la formación", "es"), "added terms are no phrase");
}

#[test]
fn parts_of_texts_without_spaces_are_found() {
    let text = "東京都の天気予報は今日も晴れですがしかし明日は雨が降るでしょう";
    for query in ["天気", "東京", "雨", "天気予報は今日"] {
        assert!(found(query, text, "ja"), "{query}");
    }
    assert!(!found("気天", text, "ja") && !found("京東", text, "ja"));
    assert!(found("서울", "서울에서 만나요", "ko"));
    let thai = "วันนี้ท่าเรือปิดเพราะมีพายุและเรือข้ามฟากทุกลำต้องจอดอยู่ที่ท่า";
    assert!(found("ท่าเรือ", thai, "th") && found("พายุ", thai, "th") && !found("ยุพา", thai, "th"));
}

#[test]
fn vowel_signs_are_parts_of_words() {
    for query in ["यह", "काल", "बड़ा", "काल बड़ा"] {
        assert!(found(query, "यह काल बड़ा है", "hi"), "{query}: {:?}", forms(query));
    }
    assert!(!found("कील", "यह काल बड़ा है", "hi") && !found("कल", "यह काल बड़ा है", "hi"));
    assert!(found("हिन्दी", "हिन्दी भाषा", "hi") && !found("हिन", "हिन्दी भाषा", "hi"));
    assert!(forms("हिन्दी").iter().all(|form| form.len() == 1), "{:?}", forms("हिन्दी"));
}

#[test]
fn a_text_without_accents_has_its_stems_alone() {
    let (title, body) = ("Running “engines”", "C++ — of 2026…");
    assert_eq!(
        IndexTerms::default().terms(title, body, Some("en")),
        TermExtractor::default().terms(title, body, Some("en"))
    );
    assert_eq!(IndexTerms::default().terms("", "energía", Some("es")).body, "energ + energi");
    let mut index_terms = IndexTerms::default();
    for _ in 0..2 {
        assert_eq!(index_terms.terms("", "energía", Some("es")).body, "energ + energi");
        assert_eq!(index_terms.terms("", "energía", Some("xx")).body, "energia", "of each language");
    }
    let stems: Forms = query_stems("engine").into_iter().map(|stem| vec![stem]).collect();
    assert_eq!(forms("engine"), stems);
}

#[test]
fn the_beginning_of_a_word_has_three_letters_at_least() {
    assert!(forms_of_beginning("Énergi*").unwrap().contains(&vec!["energi*".to_owned()]));
    assert!(forms_of_beginning("en*").is_none() && forms_of_beginning("heat-pum*").is_none());
    assert!(forms_of_beginning("*").is_none());
}

#[test]
fn a_word_has_the_terms_of_all_its_spellings() {
    assert!(index_terms("Häuser").contains("haus") && index_terms("Häuser").contains("hauser"));
    assert!(!index_terms("información").is_disjoint(&index_terms("informacion")));
    assert_eq!(fold("ÉCOLE Œuvre ĐÀ NẴNG"), "ecole oeuvre da nang");
    assert_eq!(pieces("日本語"), ["日", "本", "語"]);
}

#[test]
fn what_is_known_of_words_and_languages_is_bounded() {
    const WORDS_OF_A_TEXT: usize = 20_000;
    let mut index_terms = IndexTerms::default();
    for text in 0..4 {
        let words: Vec<String> = (0..WORDS_OF_A_TEXT).map(|word| format!("w{text}x{word}")).collect();
        assert_eq!(index_terms.terms("", &words.join(" "), Some("en")).body.split(' ').count(), WORDS_OF_A_TEXT);
        assert!(index_terms.known_words() < MAX_KNOWN_WORDS + WORDS_OF_A_TEXT + 1);
    }
    for language in 0..2 * MAX_KNOWN_WORDS {
        index_terms.terms("", "é", Some(&format!("l{language}")));
    }
    assert!(index_terms.known_words() < MAX_KNOWN_WORDS + 4);
}
