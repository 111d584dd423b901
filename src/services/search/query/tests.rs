use super::*;

fn texts(groups: &[Vec<Term>]) -> Vec<Vec<&str>> {
    groups.iter().map(|group| group.iter().map(|term| term.text.as_str()).collect()).collect()
}

/// The words of a query that has no OR, and those that it excludes.
fn words(query: &str) -> (Vec<String>, Vec<String>) {
    let parsed = parse(query).unwrap();
    assert!(parsed.wanted.iter().all(|group| group.len() == 1), "{query}: {parsed:?}");
    let texts = |terms: Vec<Term>| terms.into_iter().map(|term| term.text).collect();
    (texts(parsed.wanted.concat()), texts(parsed.unwanted))
}

fn refusal(query: &str) -> String {
    parse(query).map_or_else(|error| error.to_string(), |parsed| panic!("{query}: {parsed:?}"))
}

#[test]
fn a_query_is_taken_apart() {
    let query = r#"heat "air source" -gas source:wire topic:home since:30d -"district heating" "open"#;
    let (wanted, unwanted) = words(query);
    assert_eq!(wanted, ["heat", "air source", "open"]);
    assert_eq!(unwanted, ["gas", "district heating"]);
    let parsed = parse(query).unwrap();
    assert_eq!((parsed.sources, parsed.topics), (vec!["wire".to_owned()], vec!["home".to_owned()]));
    assert_eq!(parsed.since.as_deref(), Some("30d"));
    assert!(parsed.has_phrase && !parse("heat pump -\"side by side\"").unwrap().has_phrase);
    assert!(parse(&"x".repeat(2_000)).is_err());
}

#[test]
fn a_filter_with_a_minus_is_refused() {
    for query in
        ["heat -source:wire", "-topic:home heat", "heat -since:30d", "heat -source:\"the wire\"", "a NOT source:b"]
    {
        let error = refusal(query);
        assert!(error.contains("leave out the minus"), "{query}: {error}");
    }
    assert_eq!(words("heat -sources -\"source:wire\"").1, ["sources", "source:wire"]);
}

#[test]
fn an_unknown_filter_is_refused_and_text_with_a_colon_is_not() {
    for (query, name) in [("sorce:wire", "source"), ("ferry site:a.example", "source"), ("-topci:x", "topic")] {
        let error = refusal(query);
        assert!(error.contains(&format!("did you mean {name}:?")), "{query}: {error}");
        assert!(error.contains("source:NAME, topic:NAME, since:DATE"), "{error}");
    }
    for query in ["author:ann", "before:2026-01-01", "title:\"a b\""] {
        let error = refusal(query);
        assert!(error.contains("there is no filter") && !error.contains("did you mean"), "{query}: {error}");
    }
    for query in [
        "10:30",
        "https://a.example/x",
        "C++: why",
        "TypeScript: an intro",
        "TypeScript:intro",
        "re:invent",
        "std::vec",
        "title: a story",
        "\"author:ann\"",
        "open source: why",
        "science:fiction",
        "localhost:8080",
    ] {
        assert!(!words(query).0.is_empty(), "{query}");
    }
    assert!(parse("Source:wire").unwrap().notes[0].contains("lower case"));
    assert!(parse("open source: why").unwrap().notes[0].contains("directly behind"));
    assert!(parse("TypeScript: an intro 10:30 https://a.example").unwrap().notes.is_empty());
}

#[test]
fn filters_of_one_name_are_alternatives_and_times_are_not() {
    let parsed = parse("source:a source:\"Hacker News\" topic:x OR topic:y (source:c)").unwrap();
    assert_eq!(parsed.sources, ["a", "Hacker News", "c"]);
    assert_eq!(parsed.topics, ["x", "y"]);
    assert!(refusal("since:7d since:30d").contains("7d and 30d"));
    assert_eq!(parse("since:7d since:7d").unwrap().since.as_deref(), Some("7d"));
    assert!(refusal("source:\"\" ferry").contains("empty value"));
}

#[test]
fn operators_in_capitals_join_words() {
    let parsed = parse("ferry OR boat OR \"night train\" quay AND sea").unwrap();
    assert_eq!(texts(&parsed.wanted), [vec!["ferry", "boat", "night train"], vec!["quay"], vec!["sea"]]);
    assert!(parsed.notes[0].contains("(ferry OR boat OR \"night train\") AND quay AND sea"), "{parsed:?}");
    let parsed = parse("(ferry OR boat)").unwrap();
    assert!(parsed.wanted.len() == 1 && parsed.wanted[0].len() == 2 && parsed.notes.is_empty(), "{parsed:?}");
    assert_eq!(words("ferry AND NOT boat"), (vec!["ferry".to_owned()], vec!["boat".to_owned()]));
    assert!(parse("ferry NOT boat").unwrap().notes[0].contains("read as -boat"));
    assert_eq!(words("ferry \"OR\" or boat").0, ["ferry", "OR", "or", "boat"]);
    assert_eq!(words("Portland OR").0, ["Portland", "OR"]);
    assert!(parse("Portland OR").unwrap().notes[0].contains("searched for as a word"));
    for query in ["-gas OR oil", "gas OR -oil", "gas OR NOT oil"] {
        assert!(refusal(query).contains("excluded word"), "{query}");
    }
    for query in ["gas OR source:a", "source:a OR gas", "topic:a OR source:a"] {
        assert!(refusal(query).contains("two filters of the same name"), "{query}");
    }
    assert_eq!(texts(&parse("ferry ?! OR boat").unwrap().wanted), [["ferry", "boat"]]);
}

#[test]
fn what_is_read_otherwise_than_written_is_noted() {
    let long = format!("ferry {}", "x".repeat(70));
    for (query, note) in [
        ("ferry \"open and", "before open and is not closed"),
        ("“night train", "before night train is not closed"),
        ("fo* f*o *foo", "the * of fo* was ignored"),
        ("ferry -(a b)", "parentheses are not read"),
        (long.as_str(), "no word of such a length"),
    ] {
        let notes = parse(query).unwrap().notes;
        assert!(notes.iter().any(|found| found.contains(note)), "{query}: {notes:?}");
    }
    for query in ["“night train” ferr* C++ & rust", "ferry boat -gas", "NEAR(a ^b {c} col", "日本* OR 天気予報*"]
    {
        assert!(parse(query).unwrap().notes.is_empty(), "{query}");
    }
    assert_eq!(words("“night train” & ?! \0").0, ["night train"]);
    assert!(parse("ferr*").unwrap().wanted[0][0].is_beginning);
}

#[test]
fn a_word_is_searched_for_once() {
    let parsed = parse("ferr* ferr* ferry boat OR ferry ferry OR boat OR ferry quay \"quay\" boat OR ferry").unwrap();
    let groups = [vec!["ferr*"], vec!["ferry"], vec!["boat", "ferry"], vec!["ferry", "boat"], vec!["quay"]];
    assert_eq!(texts(&parsed.wanted), groups);
    assert!(parsed.has_phrase && parsed.wanted[0][0].is_beginning, "{parsed:?}");
    assert_eq!(parse(&"ferr* ".repeat(160)).unwrap().wanted.len(), 1);
    assert_eq!(words("ferry -gas -gas -oil").1, ["gas", "oil"]);
}

#[test]
fn a_query_has_a_limited_number_of_words() {
    let words = |count: usize| (0..count).map(|number| format!("{number:x}")).collect::<Vec<_>>();
    assert_eq!(parse(&words(200).join(" ")).unwrap().wanted.len(), 200);
    for query in [words(201).join(" "), words(201).join(" -"), format!("a OR {}", words(200).join(" "))] {
        assert!(refusal(&query).contains("has 201 words and phrases, and at most 200"), "{query}");
    }
}

#[test]
fn invisible_characters_are_left_out_as_in_texts() {
    assert_eq!(words("ener\u{ad}gie \u{202e}ferry quay\u{feff}").0, ["energie", "ferry", "quay"]);
    assert_eq!(parse("source:\u{200b}wire").unwrap().sources, ["wire"]);
}

#[test]
fn since_is_a_date_a_time_or_a_span() {
    let now = Timestamp::from_millis(86_400_000 * 40);
    assert_eq!(since_when("30d", now).unwrap().as_millis(), 86_400_000 * 10);
    assert_eq!(since_when("1970-01-02", now).unwrap().as_millis(), 86_400_000);
    assert_eq!(since_when("1970-01-02T00:00:01Z", now).unwrap().as_millis(), 86_401_000);
    assert!(since_when("yesterday", now).is_err());
}
