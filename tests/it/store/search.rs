mod filters;
mod vectors;

use aha_content::index_terms::{forms, forms_of_beginning, index_terms};
use aha_core::ids::SourceId;
use aha_core::time::Timestamp;
use aha_store::{
    EntryContent, IdentifiedItem, ItemText, NewDocument, NewEmbedding, RetentionStep, SearchHit, SearchQuery, Store,
    StoreError, VectorsVersion,
};

use super::on_every_database;
use super::world::{World, at, item};

fn text(key: &str, title: &str, body: &str, language: &str) -> IdentifiedItem {
    let mut item = item(key, 1);
    item.title = Some(title.to_owned());
    body.clone_into(&mut item.body_text);
    item.metadata.language = Some(language.to_owned());
    item
}

fn query(wanted: &[&str]) -> SearchQuery {
    SearchQuery { wanted: wanted.iter().map(|text| forms(text)).collect(), limit: 10, ..SearchQuery::default() }
}

async fn hits(store: &dyn Store, query: &SearchQuery) -> Vec<SearchHit> {
    let entries = store.find_entries(query).await.unwrap();
    store.search_hits(&entries, false).await.unwrap()
}

async fn found(store: &dyn Store, query: &SearchQuery) -> Vec<String> {
    let name = |hit: SearchHit| hit.document.or(hit.title).unwrap_or_default();
    let mut names: Vec<String> = hits(store, query).await.into_iter().map(name).collect();
    names.sort();
    names
}

async fn stocked(store: &dyn Store) -> World {
    let world = World::new(store).await;
    let items = [
        text("a", "Ferry engines fail", "The harbour is closed. Heat pumps are late.", "en"),
        text("b", "A pump for every house", "Heat comes from the sea; it's c++ that steers it.", "en"),
        text("c", "Die Häuser am Hafen", "Schiffe fahren wieder.", "de"),
        text("d", "O'Neil: '& | ! <-> (\"x\") \\ : * 100%", "nul\0 and 日本 text", "en"),
    ];
    world.with_items(store, &items).await;
    world
}

async fn words_are_found_in_all_their_forms(store: &dyn Store) {
    stocked(store).await;
    assert_eq!(found(store, &query(&["engine"])).await, ["Ferry engines fail"]);
    assert_eq!(found(store, &query(&["heating", "pumps"])).await.len(), 2);
    assert_eq!(found(store, &query(&["Haus"])).await, ["Die Häuser am Hafen"]);
    assert_eq!(found(store, &query(&["C++"])).await, ["A pump for every house"]);
    assert_eq!(found(store, &query(&["o'neil"])).await.len(), 1);
    assert_eq!(found(store, &query(&["日本"])).await.len(), 1);
    assert!(found(store, &query(&["nothing"])).await.is_empty());
    assert!(found(store, &SearchQuery { limit: 5, ..SearchQuery::default() }).await.is_empty());
}

async fn accents_make_no_difference(store: &dyn Store) {
    let world = World::new(store).await;
    let items = [
        text("a", "A vila de Jerí", "Informações públicas sobre a praia.", "pt"),
        text("b", "Jericho", "La informacion publica del pais.", "es"),
        text("c", "Jeri\u{301} decomposed", "Ils ont annoncé la grève.", "fr"),
        text("d", "Die Straße am Łódź-Ufer", "Новая ёлка; Αθήνα", "de"),
        text("e", "The ofﬁce", "A ligature, as in the text of some PDF files.", "en"),
    ];
    world.with_items(store, &items).await;
    let both = ["A vila de Jerí", "Jeri\u{301} decomposed"];
    for written in ["jeri", "jerí", "JERÍ", "jeri\u{301}", "jéri"] {
        assert_eq!(found(store, &query(&[written])).await, both, "{written}");
    }
    for (written, title) in [
        ("informacoes", "A vila de Jerí"),
        ("informação", "A vila de Jerí"),
        ("información pública", "Jericho"),
        ("país", "Jericho"),
        ("informacoes publicas", "A vila de Jerí"),
        ("annonce", "Jeri\u{301} decomposed"),
        ("strasse", "Die Straße am Łódź-Ufer"),
        ("lodz ufer", "Die Straße am Łódź-Ufer"),
        ("елка", "Die Straße am Łódź-Ufer"),
        ("ΑΘΗΝΑ", "Die Straße am Łódź-Ufer"),
        ("offices", "The ofﬁce"),
    ] {
        let names = found(store, &query(&[written])).await;
        assert!(names.iter().any(|name| name == title), "{written}: {names:?}");
    }
    let without = SearchQuery { unwanted: vec![forms("jeri")], ..query(&["informacion"]) };
    assert_eq!(found(store, &without).await, ["Jericho"]);
    let counted = store.term_frequencies(&["łódź".to_owned(), "ghost".to_owned()]).await.unwrap();
    assert_eq!(counted, [("łódź".to_owned(), 1)], "of a stem as it is indexed");
    assert!(index_terms("Jerí").contains("jeri"));
}

async fn parts_of_texts_without_spaces_are_found(store: &dyn Store) {
    let world = World::new(store).await;
    let long = "東京都の天気予報は今日も晴れですがしかし明日は雨が降るでしょう";
    let items = [text("a", "One", long, "ja"), text("b", "Two", "天の気分。서울에서 만나요", "ja")];
    world.with_items(store, &items).await;
    for (written, titles) in [
        ("天気", &["One"][..]),
        ("天気予報は今日", &["One"]),
        ("雨", &["One"]),
        ("気", &["One", "Two"]),
        ("서울", &["Two"]),
        ("京東", &[]),
    ] {
        assert_eq!(found(store, &query(&[written])).await, titles, "{written}");
    }
    assert_eq!(store.term_frequencies(&["天気".to_owned()]).await.unwrap(), [("天気".to_owned(), 2)]);
}

async fn vowel_signs_and_tone_marks_are_parts_of_words(store: &dyn Store) {
    let world = World::new(store).await;
    let items = [
        text("a", "Time", "यह काल बड़ा है", "hi"),
        text("b", "Language", "हिन्दी भाषा", "hi"),
        text("c", "Bengali", "ক্ষুদ্র নৌকা", "bn"),
        text("d", "Thai", "วันนี้ท่าเรือปิดเพราะมีพายุและเรือข้ามฟากทุกลำต้องจอดอยู่", "th"),
    ];
    world.with_items(store, &items).await;
    for (written, titles) in [
        ("काल", &["Time"][..]),
        ("काल बड़ा", &["Time"]),
        ("कील", &[]),
        ("कल", &[]),
        ("हिन्दी", &["Language"]),
        ("हिन", &[]),
        ("ক্ষুদ্র", &["Bengali"]),
        ("নৌকা", &["Bengali"]),
        ("নকা", &[]),
        ("ท่าเรือ", &["Thai"]),
        ("พายุ", &["Thai"]),
        ("ทาเรอ", &[]),
    ] {
        assert_eq!(found(store, &query(&[written])).await, titles, "{written}");
    }
    assert_eq!(store.term_frequencies(&["काल".to_owned()]).await.unwrap(), [("काल".to_owned(), 1)]);
}

async fn phrases_are_found_in_texts_of_any_length(store: &dyn Store) {
    let world = World::new(store).await;
    let often = "the sail ".repeat(700) + "They saw the northern lighthouse.";
    let numbered: Vec<String> = (0..17_000).map(|number| format!("w{number}")).collect();
    let long = numbered.join(" ") + " A heat pump warms it.";
    let items = [text("a", "Often", &often, "en"), text("b", "Long", &long, "en")];
    world.with_items(store, &items).await;
    for (written, titles) in [
        ("the northern lighthouse", &["Often"][..]),
        ("saw the northern", &["Often"]),
        ("saw the", &["Often"]),
        ("northern the lighthouse", &[]),
        ("sail northern", &[]),
        ("heat pump", &["Long"]),
        ("a heat pump warms it", &["Long"]),
        ("w16379 w16380 w16381 w16382", &["Long"]),
        ("pump heat", &[]),
        ("heat warms", &[]),
    ] {
        assert_eq!(found(store, &query(&[written])).await, titles, "{written}");
    }
    let without = SearchQuery { unwanted: vec![forms("heat pump")], ..query(&["it"]) };
    assert!(found(store, &without).await.is_empty());
}

async fn one_of_several_words_is_enough_and_words_are_found_by_their_beginning(store: &dyn Store) {
    stocked(store).await;
    let group = |words: &[&str]| words.iter().flat_map(|word| forms(word)).collect::<Vec<_>>();
    let either = SearchQuery { wanted: vec![group(&["ferry", "house"]), forms("heat")], ..query(&[]) };
    assert_eq!(found(store, &either).await.len(), 2);
    let either = SearchQuery { wanted: vec![group(&["ferry", "heat pump"]), forms("house")], ..query(&[]) };
    assert!(found(store, &either).await.is_empty());
    let beginning = |word: &str| SearchQuery { wanted: vec![forms_of_beginning(word).unwrap()], ..query(&[]) };
    assert_eq!(found(store, &beginning("harb*")).await, ["Ferry engines fail"]);
    assert_eq!(found(store, &beginning("háus*")).await, ["Die Häuser am Hafen"]);
    assert_eq!(found(store, &beginning("engines*")).await, ["Ferry engines fail"]);
    assert!(found(store, &beginning("arbour*")).await.is_empty());
    let without = SearchQuery { unwanted: vec![forms_of_beginning("harb*").unwrap()], ..query(&["heat"]) };
    assert_eq!(found(store, &without).await, ["A pump for every house"]);
}

async fn no_text_breaks_a_query(store: &dyn Store) {
    stocked(store).await;
    let many: Vec<String> = (0..400).map(|number| format!("zz{number}")).collect();
    let unwanted = SearchQuery { unwanted: many.iter().map(|word| forms(word)).collect(), ..query(&["ferry"]) };
    assert_eq!(found(store, &unwanted).await, ["Ferry engines fail"]);
    let any = SearchQuery { is_any: true, wanted: many.iter().map(|word| forms(word)).collect(), ..query(&[]) };
    found(store, &any).await;
    let one = SearchQuery { wanted: vec![many.iter().flat_map(|word| forms(word)).collect()], ..query(&[]) };
    found(store, &one).await;
    let phrase = many.join(" ");
    for hostile in [
        phrase.as_str(),
        "NEAR(ferry engines)",
        "title:ferry",
        "^ferry",
        "{title body}: ferry",
        "ferry\" OR \"x",
        "ferry:*",
        "!ferry & 'x' | \\",
        "fer\0ry",
        "e\u{301}\u{301}\u{301}",
        "İ",
        "हिन्दी",
        "100%_*",
    ] {
        found(store, &query(&[hostile])).await;
        let unwanted = SearchQuery { unwanted: vec![forms(hostile)], ..query(&[]) };
        store.newest_entries(&unwanted).await.unwrap();
    }
    assert_eq!(found(store, &query(&["'^ferry\"*"])).await, ["Ferry engines fail"]);
}

async fn a_phrase_does_not_begin_in_the_title_and_end_in_the_text(store: &dyn Store) {
    stocked(store).await;
    assert_eq!(found(store, &query(&["ferry engines fail"])).await.len(), 1);
    assert!(found(store, &query(&["fail the harbour"])).await.is_empty());
}

async fn phrases_stand_side_by_side_and_what_is_unwanted_goes(store: &dyn Store) {
    stocked(store).await;
    assert_eq!(found(store, &query(&["heat pump"])).await, ["Ferry engines fail"]);
    let without = SearchQuery { unwanted: vec![forms("harbour")], ..query(&["heat"]) };
    assert_eq!(found(store, &without).await, ["A pump for every house"]);
    let any = SearchQuery { is_any: true, ..query(&["engines", "Schiff"]) };
    assert_eq!(found(store, &any).await.len(), 2);
}

async fn entries_are_chosen_from_by_filters_and_unwanted_words(store: &dyn Store) {
    let world = stocked(store).await;
    let any = SearchQuery { is_any: true, ..query(&["engine", "pump", "Haus", "text"]) };
    let mut entries = store.find_entries(&any).await.unwrap();
    entries.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(entries.len(), 4);
    let chosen = async |query: SearchQuery| store.keep_entries(&entries, &query).await.unwrap();
    let limit = SearchQuery { limit: 10, ..SearchQuery::default() };
    assert_eq!(chosen(limit.clone()).await, entries, "in the order in which they were given");
    assert_eq!(chosen(SearchQuery { limit: 2, ..limit.clone() }).await, entries[..2]);
    let without = SearchQuery { unwanted: vec![forms("heat")], ..limit.clone() };
    assert_eq!(chosen(without).await.len(), 2);
    let without = SearchQuery { unwanted: vec![forms("harbour"), forms("steering")], ..limit.clone() };
    assert_eq!(chosen(without).await.len(), 2);
    let of_none = SearchQuery { sources: Some(Vec::new()), ..limit.clone() };
    assert!(chosen(of_none).await.is_empty());
    let of_source = SearchQuery { sources: Some(vec![world.first]), ..limit.clone() };
    assert_eq!(chosen(of_source).await, entries);
    assert!(chosen(SearchQuery { since: Some(at(1_000_000)), ..limit }).await.is_empty());
    assert!(store.keep_entries(&[], &query(&["engine"])).await.unwrap().is_empty());
    let hits = store.search_hits(&[entries[2], i64::MAX, entries[0]], false).await.unwrap();
    assert_eq!(hits.iter().map(|hit| hit.entry).collect::<Vec<_>>(), [entries[2], entries[0]]);
}

async fn markup_comes_with_what_asks_for_it(store: &dyn Store) {
    stocked(store).await;
    let html = async |with_html| {
        let entries = store.find_entries(&query(&["ferry"])).await.unwrap();
        let hits = store.search_hits(&entries, with_html).await.unwrap();
        hits.into_iter().map(|hit| hit.html).collect::<Vec<_>>()
    };
    assert_eq!(html(false).await, [None]);
    assert_eq!(html(true).await, [Some("<p>Body of a</p>".to_owned())]);
}

async fn sources_and_times_narrow_it(store: &dyn Store) {
    let world = stocked(store).await;
    let of = |sources: &[SourceId]| SearchQuery { sources: Some(sources.to_vec()), ..query(&["heat"]) };
    assert_eq!(found(store, &of(&[world.first])).await.len(), 2);
    assert!(found(store, &of(&[SourceId::of(&["another"])])).await.is_empty());
    assert!(found(store, &of(&[])).await.is_empty());
    let since = |time: Timestamp| SearchQuery { since: Some(time), ..query(&["heat"]) };
    assert_eq!(found(store, &since(at(1))).await.len(), 2);
    assert!(found(store, &since(at(2))).await.is_empty());
}

async fn filters_alone_list_the_newest(store: &dyn Store) {
    let world = World::new(store).await;
    let dated = |key: &str, title: &str, hour| IdentifiedItem { time: at(hour), ..text(key, title, "Heat.", "en") };
    world.with_items(store, &[dated("a", "Old ferry", 2), dated("b", "Pump", 9), dated("c", "New ferry", 7)]).await;
    let rules = document("rules.md", "1", &[("Mooring", "Two knots."), ("Fees", "Seven euros.")]);
    store.replace_documents(None, world.second, &[rules], &[]).await.unwrap();
    let listed = async |query: SearchQuery| {
        let entries = store.newest_entries(&query).await.unwrap();
        let hits = store.search_hits(&entries, false).await.unwrap();
        hits.into_iter().map(|hit| hit.document.or(hit.title).unwrap_or_default()).collect::<Vec<String>>()
    };
    let all = SearchQuery { limit: 10, ..SearchQuery::default() };
    let names = ["Pump", "New ferry", "rules.md", "Old ferry"];
    assert_eq!(listed(all.clone()).await, names, "a document is listed once");
    assert_eq!(listed(SearchQuery { limit: 3, ..all.clone() }).await, names[..3]);
    assert_eq!(listed(SearchQuery { since: Some(at(5)), ..all.clone() }).await, names[..3]);
    assert_eq!(listed(SearchQuery { since: Some(at(8)), ..all.clone() }).await, names[..1]);
    let of = |sources: &[SourceId]| SearchQuery { sources: Some(sources.to_vec()), ..all.clone() };
    assert_eq!(listed(of(&[world.second])).await, ["rules.md"]);
    assert_eq!(listed(of(&[world.first])).await, ["Pump", "New ferry", "Old ferry"]);
    assert!(listed(of(&[])).await.is_empty());
    let without = SearchQuery { unwanted: vec![forms("ferries"), forms("knots")], ..all.clone() };
    assert_eq!(listed(without).await, ["Pump"]);
}

async fn an_edit_is_found_by_its_new_words_alone(store: &dyn Store) {
    let world = stocked(store).await;
    let edited = IdentifiedItem { hash_text: "edited".to_owned(), ..text("a", "Trains are late", "Snow.", "en") };
    store.commit_fetch(&world.lease, &world.look(1, world.first, &[edited])).await.unwrap();
    assert!(found(store, &query(&["ferry"])).await.is_empty());
    assert_eq!(found(store, &query(&["train"])).await, ["Trains are late"]);
    assert_eq!(store.search_entries().await.unwrap(), 4);
}

async fn the_index_is_made_again_and_says_since_when_it_is_behind(store: &dyn Store) {
    let world = stocked(store).await;
    assert_eq!(store.oldest_unindexed().await.unwrap(), None);
    let entries = async || store.newest_entries(&query(&[])).await.unwrap();
    let (before, version) = (entries().await, store.vectors_version("s").await.unwrap());
    assert_eq!(before.len(), 4, "{}", world.topic.name);
    store.clear_search().await.unwrap();
    assert!(found(store, &query(&["ferry"])).await.is_empty());
    assert!(store.oldest_unindexed().await.unwrap().is_some());
    assert_eq!(store.index_missing(3).await.unwrap(), 3);
    assert!(store.oldest_unindexed().await.unwrap().is_some());
    assert_eq!(store.index_missing(3).await.unwrap(), 1);
    assert_eq!(store.index_missing(3).await.unwrap(), 0);
    assert_eq!(store.oldest_unindexed().await.unwrap(), None);
    assert_eq!(found(store, &query(&["ferry"])).await.len(), 1);
    // What a server has loaded by the entries' ids must not seem to be current.
    let largest = before.iter().max();
    assert!(entries().await.iter().min() > largest, "no id is used again");
    assert_ne!(store.vectors_version("s").await.unwrap(), version);
}

async fn what_retention_empties_is_not_found(store: &dyn Store) {
    let world = stocked(store).await;
    store.release_lease(&world.lease).await.unwrap();
    store.remove_old(RetentionStep::Items, at(100), 10, at(200)).await.unwrap();
    assert_eq!(store.search_entries().await.unwrap(), 0);
    assert!(found(store, &query(&["ferry"])).await.is_empty());
    assert_eq!(store.oldest_unindexed().await.unwrap(), None);
}

fn document(path: &str, hash: &str, passages: &[(&str, &str)]) -> NewDocument {
    NewDocument {
        path: path.to_owned(),
        name: path.to_owned(),
        title: Some("Harbour rules".to_owned()),
        content_hash: hash.to_owned(),
        language: Some("en".to_owned()),
        dated: at(5),
        is_replaced: false,
        read_at: at(6),
        passages: passages.iter().map(|(section, text)| ((*section).to_owned(), (*text).to_owned())).collect(),
    }
}

async fn names_that_documents_share_are_listed(store: &dyn Store) {
    let world = World::new(store).await;
    assert!(store.shared_document_names().await.unwrap().is_empty());
    let of_both = [document("rules.md", "1", &[("Fees", "Nine euros.")]), document("b.md", "1", &[("", "Text.")])];
    store.replace_documents(None, world.first, &of_both, &[]).await.unwrap();
    store.replace_documents(None, world.second, &of_both, &["b.md".to_owned()]).await.unwrap();
    store.replace_documents(None, world.second, &[], &["b.md".to_owned()]).await.unwrap();
    store.replace_documents(None, world.second, &[document("b.md", "unreadable", &[])], &[]).await.unwrap();
    assert_eq!(store.shared_document_names().await.unwrap(), ["rules.md"]);
}

async fn documents_are_found_by_passage_and_change_as_a_whole(store: &dyn Store) {
    let world = World::new(store).await;
    let source = world.first;
    let rules = document("rules.md", "1", &[("Mooring", "Lines are doubled.\nTwo knots."), ("Fees", "Seven euros.")]);
    let tides = document("tides.md", "1", &[("Spring", "High water at nine.")]);
    store.replace_documents(None, source, &[rules, tides], &[]).await.unwrap();
    let known = store.documents(source).await.unwrap();
    assert_eq!(known, [("rules.md".to_owned(), "1".to_owned()), ("tides.md".to_owned(), "1".to_owned())]);
    store.set_document_hashes(None, source, &[("tides.md".to_owned(), "outdated".to_owned())]).await.unwrap();
    assert_eq!(store.documents(source).await.unwrap()[1].1, "outdated");
    let hits = hits(store, &query(&["knot"])).await;
    let hit = hits.first().unwrap();
    let place = (hit.document.as_deref(), hit.section.as_deref(), hit.item, hit.time);
    assert_eq!(place, (Some("rules.md"), Some("Mooring"), None, at(5)));
    assert_eq!(hit.text, "Lines are doubled.\nTwo knots.");
    assert_eq!(found(store, &query(&["mooring"])).await.len(), 1, "a heading is found too");
    assert_eq!(
        store.term_frequencies(&["harbour".to_owned(), "ghost".to_owned()]).await.unwrap(),
        [("harbour".to_owned(), 3)]
    );
    let newer = document("rules.md", "2", &[("Fees", "Eight euros.")]);
    store.replace_documents(None, source, &[newer], &["tides.md".to_owned()]).await.unwrap();
    assert!(found(store, &query(&["knot"])).await.is_empty() && found(store, &query(&["water"])).await.is_empty());
    assert_eq!(found(store, &query(&["eight"])).await, ["rules.md"]);
    store.clear_search().await.unwrap();
    assert_eq!(store.index_missing(10).await.unwrap(), 1);
    assert_eq!(found(store, &query(&["eight"])).await, ["rules.md"]);
    let again = document("rules.md", "3", &[("Fees", "Ten euros.")]);
    let replace = || store.replace_documents(None, source, std::slice::from_ref(&again), &[]);
    let (one, other) = tokio::join!(replace(), replace());
    assert!(one.is_ok() && other.is_ok(), "{one:?} {other:?}");
    store.remove_source(source).await.unwrap();
    assert_eq!(store.search_entries().await.unwrap(), 0);
    let gone = replace().await;
    assert!(matches!(gone, Err(StoreError::NotFound { what: "source", .. })), "{gone:?}");
}

async fn an_item_of_two_topics_is_one_entry(store: &dyn Store) {
    let (world, other) = (stocked(store).await, World::named(store, "other").await);
    let same = text("a", "Ferry engines fail", "The harbour is closed. Heat pumps are late.", "en");
    other.with_items(store, &[same]).await;
    assert_eq!(store.search_entries().await.unwrap(), 4);
    assert_ne!(world.first, other.first);
    let of = |source| SearchQuery { sources: Some(vec![source]), ..query(&["ferry"]) };
    assert_eq!(found(store, &of(other.first)).await.len(), 1);
}

on_every_database!(
    words_are_found_in_all_their_forms,
    accents_make_no_difference,
    parts_of_texts_without_spaces_are_found,
    vowel_signs_and_tone_marks_are_parts_of_words,
    phrases_are_found_in_texts_of_any_length,
    one_of_several_words_is_enough_and_words_are_found_by_their_beginning,
    no_text_breaks_a_query,
    a_phrase_does_not_begin_in_the_title_and_end_in_the_text,
    phrases_stand_side_by_side_and_what_is_unwanted_goes,
    markup_comes_with_what_asks_for_it,
    sources_and_times_narrow_it,
    filters_alone_list_the_newest,
    an_edit_is_found_by_its_new_words_alone,
    the_index_is_made_again_and_says_since_when_it_is_behind,
    what_retention_empties_is_not_found,
    documents_are_found_by_passage_and_change_as_a_whole,
    names_that_documents_share_are_listed,
    entries_are_chosen_from_by_filters_and_unwanted_words,
    an_item_of_two_topics_is_one_entry,
);
