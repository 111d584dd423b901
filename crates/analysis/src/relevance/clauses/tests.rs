use super::*;

/// Formats clauses as written, with a minus sign before negated ones.
fn parsed(text: &str) -> Vec<String> {
    let sign = |clause: &Clause| if clause.denied { "-" } else { "" };
    Interests::parse(text).clauses.iter().map(|clause| format!("{}{}", sign(clause), clause.written)).collect()
}

#[test]
fn words_that_lead_up_to_a_subject_may_be_one() {
    assert_eq!(parsed("Short reads about sleep, work and money"), ["sleep", "work", "money"]);
    assert_eq!(parsed("reading and writing; short stories"), ["reading", "writing", "short stories"]);
    assert_eq!(parsed("I work with databases. Long pieces on ferries"), ["databases", "ferries"]);
}

#[test]
fn what_is_wanted_in_a_place_or_field_is_wanted_in_each() {
    assert_eq!(parsed("AI in schools and workplaces"), ["AI in schools", "AI in workplaces"]);
    assert_eq!(parsed("careers in physics and chemistry"), ["careers in physics", "careers in chemistry"]);
    assert_eq!(parsed("elections in Peru and Chile"), ["elections in Peru", "elections in Chile"]);
    assert_eq!(
        parsed("drought in East and Central Africa"),
        ["drought in East and Central Africa", "drought in Central Africa"]
    );
}

#[test]
fn a_subject_of_its_own_is_left_alone() {
    assert_eq!(parsed("food in Japan and photography"), ["food in Japan", "photography"]);
    assert_eq!(parsed("life in prison and gardening"), ["life in prison", "gardening"]);
    assert_eq!(parsed("investing in stocks and yoga"), ["investing in stocks", "yoga"]);
    assert_eq!(parsed("history of science and chess"), ["history of science", "chess"]);
    assert_eq!(parsed("AI in schools and heat pumps in old houses"), ["AI in schools", "heat pumps in old houses"]);
}

#[test]
fn lists_are_cut_into_clauses() {
    assert_eq!(
        parsed("embedded databases; Rust; self-hosting and home servers"),
        ["embedded databases", "Rust", "self-hosting", "home servers"]
    );
    assert_eq!(parsed("I would like to read about tidal energy, such as in Wales."), ["tidal energy", "Wales"]);
}

#[test]
fn a_denial_ends_with_its_sentence_or_a_but() {
    assert_eq!(parsed("Rust. No sport, gossip. Tidal energy"), ["Rust", "-sport", "-gossip", "Tidal energy"]);
    assert_eq!(parsed("climate, but not party politics"), ["climate", "-party politics"]);
    assert_eq!(parsed("no football but cricket"), ["-football", "cricket"]);
    assert_eq!(parsed("I don't care about release notes"), ["-release notes"]);
    assert_eq!(parsed("I am tired of celebrity news and sport"), ["-celebrity", "-sport"]);
    assert_eq!(parsed("ferries rather than cruises, tides"), ["ferries", "-cruises", "tides"]);
    assert_eq!(parsed("No sport, and I also like tides"), ["-sport", "tides"]);
    assert_eq!(parsed("I don't need gadget reviews"), ["-gadget reviews"]);
    assert_eq!(parsed("Not only Rust; I can't get enough of cheese"), ["Rust", "cheese"]);
    assert_eq!(parsed("I can't wait for tidal energy"), ["tidal energy"]);
}

#[test]
fn a_hyphen_before_a_word_excludes_it_unless_it_begins_the_lines_of_a_list() {
    assert_eq!(parsed("-sport, tram lines"), ["-sport", "tram lines"]);
    assert_eq!(parsed("science -politics -celebrity tides"), ["science", "-politics", "-celebrity", "tides"]);
    assert_eq!(parsed("science, −party politics, tides"), ["science", "-party politics", "tides"]);
    assert_eq!(parsed("science\n-football\n-golf"), ["science", "-football", "-golf"]);
    assert_eq!(parsed("-tides\n-ferries"), ["tides", "ferries"]);
    assert_eq!(parsed("- tides\n- ferries"), ["tides", "ferries"]);
    assert_eq!(
        parsed("self-hosting - ferries, frost of -5 degrees"),
        ["self-hosting", "ferries", "frost of -5 degrees"]
    );
}

#[test]
fn a_sentence_ends_at_its_full_stop_within_brackets_and_quotation_marks_too() {
    assert_eq!(parsed("No sport (football, tennis). Rust"), ["-sport", "-football", "-tennis", "Rust"]);
    assert_eq!(parsed("No “reality shows.” Rust"), ["-reality shows", "Rust"]);
    assert_eq!(parsed("No \"reality shows\". Rust"), ["-reality shows", "Rust"]);
    assert_eq!(parsed("no sport... Rust. No gossip… Tides"), ["-sport", "Rust", "-gossip", "Tides"]);
    assert_eq!(parsed("No sport, e.g. football. Rust"), ["-sport", "-football", "Rust"]);
    assert_eq!(parsed("No sport (football etc.), tennis"), ["-sport", "-football", "-tennis"]);
    assert_eq!(parsed("No sport, gossip etc. Irish music"), ["-sport", "-gossip", "Irish music"]);
}

#[test]
fn abbreviations_that_introduce_examples_are_no_subjects() {
    assert_eq!(parsed("AI, esp. robotics"), ["AI", "robotics"]);
    assert_eq!(parsed("AI esp. robotics, e.g. drones"), ["AI", "robotics", "drones"]);
    assert_eq!(parsed("AI, E.g. drones; tides (i.e. tidal energy)"), ["AI", "drones", "tides", "tidal energy"]);
    assert_eq!(parsed("No sport, i.e. football. Rust"), ["-sport", "-football", "Rust"]);
    assert_eq!(
        parsed("no sport esp. football, no gossip (incl. royals)"),
        ["-sport", "-football", "-gossip", "-royals"]
    );
    assert_eq!(parsed("trains incl. trams, etc."), ["trains", "trams"]);
    assert_eq!(parsed("Kein Sport, z. B. Fußball. Datenbanken"), ["-Sport", "-Fußball", "Datenbanken"]);
    assert_eq!(parsed("Züge, z.B. Straßenbahnen, inkl. Fähren"), ["Züge", "Straßenbahnen", "Fähren"]);
    assert_eq!(parsed("No vitamin E. Rust"), ["-vitamin", "Rust"]);
}

#[test]
fn a_denying_word_in_the_name_of_a_subject_denies_nothing() {
    assert_eq!(parsed("no-code tools, Rust"), ["code tools", "Rust"]);
    assert_eq!(parsed("non-fiction, non fiction"), ["non-fiction", "fiction"]);
    assert_eq!(parsed("sans-serif typefaces, stop-motion films"), ["serif typefaces", "stop-motion films"]);
    assert_eq!(parsed("e-bikes and hate speech, hate crimes"), ["bikes", "hate speech", "hate crimes"]);
    assert_eq!(parsed("Doctors Without Borders, medicine"), ["Doctors Without Borders", "medicine"]);
    assert_eq!(parsed("I hate speeches, stop sport"), ["-speeches", "-sport"]);
}

#[test]
fn a_modifier_is_joined_to_the_word_after_its_hyphen() {
    let modifiers = |text: &str| Interests::parse(text).clauses.remove(0).modifiers;
    let of = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    let expected: Vec<(String, String)> = of(&[("self", "hosted")]);
    assert_eq!(modifiers("self-hosted open software"), expected);
    assert!(modifiers("climate-friendly homes and self help").is_empty());
}

#[test]
fn what_is_no_subject_is_left_out() {
    assert_eq!(parsed("I keep an eye on harbours, because my colleagues ask me all the time"), ["harbours"]);
    assert_eq!(parsed("I like to read in the evening about archaeology"), ["archaeology"]);
}

#[test]
fn what_precedes_a_wish_in_its_clause_is_none() {
    assert_eq!(
        parsed("In my breaks I want to read about new treatments, mental health"),
        ["treatments", "mental health"]
    );
    assert_eq!(parsed("Give me outages, and now and then something about parenting"), ["outages", "parenting"]);
    assert_eq!(parsed("I don't want to read about football"), ["-football"]);
    assert_eq!(parsed("In Scotland I want to read about tidal energy"), ["Scotland", "tidal energy"]);
    assert_eq!(parsed("startups looking for funding"), ["startups looking for funding"]);
}

#[test]
fn words_that_deny_elsewhere_deny_nothing_in_english() {
    assert_eq!(parsed("sin taxes, gambling, vitamin E"), ["taxes", "gambling", "vitamin"]);
    assert_eq!(parsed("keine Soja, Mais und Weizen"), ["-Soja", "-Weizen"]);
    assert_eq!(parsed("tecnología y ciencia, sin deporte"), ["tecnología", "ciencia", "-deporte"]);
}

#[test]
fn who_the_reader_is_gives_places_alone() {
    assert_eq!(parsed("I run a bakery, so I follow wages and energy bills"), ["wages", "energy bills"]);
    assert_eq!(parsed("I run a bakery, which is why I follow wages"), ["wages"]);
    assert_eq!(parsed("I don't follow football, so I want rugby"), ["-football", "rugby"]);
    let interests = Interests::parse("I live in Sydney, so I want property");
    assert_eq!(interests.clauses.last().map(Clause::place_names), Some(vec!["sydney".to_owned()]));
}

#[test]
fn what_the_reader_tells_of_themselves_is_no_wish_beside_others() {
    assert_eq!(parsed("I live in Melbourne and work in nursing; hospitals"), ["nursing", "hospitals"]);
    assert_eq!(parsed("I used to work in Nairobi so Kenya too. Unions"), ["Kenya", "Unions"]);
    assert_eq!(
        parsed("I am a physics lecturer and run a server at home"),
        ["physics lecturer", "run a server at home"]
    );
    assert_eq!(parsed("Ich wohne in Wien. Datenbanken"), ["Datenbanken"]);
    assert_eq!(parsed("I have a PhD. I'm a chess fan. I have a passion for trains"), ["chess", "trains"]);
    assert_eq!(parsed("I am a nurse"), ["nurse"]);
    let interests = Interests::parse("I live in Sydney: cost of living, property");
    assert_eq!(interests.clauses.len(), 2);
    assert_eq!(interests.clauses[0].place_names(), ["sydney"]);
}

#[test]
fn a_wish_ends_a_denial_before_it() {
    assert_eq!(parsed("less sport, more science"), ["-sport", "science"]);
    assert_eq!(parsed("weniger Sport und mehr Wissenschaft"), ["-Sport", "Wissenschaft"]);
    assert_eq!(parsed("moins de sport, plus de science"), ["-sport", "science"]);
    assert_eq!(parsed("menos fútbol, más ciencia"), ["-fútbol", "ciencia"]);
    assert_eq!(parsed("I'm tired of Trump, give me science"), ["-Trump", "science"]);
    assert_eq!(parsed("I don't want more politics"), ["-politics"]);
    assert_eq!(parsed("I never want to hear or read about politics"), ["-politics"]);
    assert_eq!(parsed("Don't show me sport and give me science"), ["-sport", "science"]);
    assert_eq!(parsed("I hate to miss news about Kenya"), ["Kenya"]);
    assert_eq!(parsed("I don't mind politics, but hate sport"), ["politics", "-sport"]);
    assert_eq!(parsed("I'm allergic to politics"), ["-politics"]);
    assert_eq!(parsed("Spare me the royal family, I only want trade"), ["-royal family", "trade"]);
    assert_eq!(parsed("No quiero deporte, prefiero ciencia"), ["-deporte", "ciencia"]);
    assert_eq!(parsed("I don't need rugby or anything about Kardashians"), ["-rugby", "-Kardashians"]);
    assert_eq!(parsed("No sports unless it's cycling"), ["-sports", "cycling"]);
    assert_eq!(parsed("No sport, except for cycling. Rust"), ["-sport", "cycling", "Rust"]);
    assert_eq!(parsed("everything on cooking apart from cakes"), ["cooking", "-cakes"]);
    assert_eq!(parsed("J'en ai marre de la politique, parlez-moi de volcans"), ["-politique", "volcans"]);
    assert_eq!(parsed("Apple (the fruit, not the company) and orchards"), ["Apple", "fruit", "-company", "orchards"]);
    assert_eq!(parsed("I used to enjoy rugby but now I'd rather have tennis"), ["-rugby", "tennis"]);
    assert_eq!(parsed("I couldn't care less about football. Aged care"), ["-football", "Aged care"]);
}

#[test]
fn a_yes_or_no_refers_to_what_precedes_it() {
    assert_eq!(parsed("US: no. Japan: yes."), ["-US", "Japan"]);
    assert_eq!(parsed("Sport: nein danke. Musik: gerne."), ["-Sport", "Musik"]);
    assert_eq!(parsed("Spoilers no, reviews yes"), ["-Spoilers", "reviews"]);
    assert_eq!(parsed("No, I don't want sport"), ["-sport"]);
}

#[test]
fn a_name_that_includes_a_place_is_no_place() {
    let interests = Interests::parse("Paris Agreement, Bank of England. Schach und Go");
    assert!(interests.clauses.iter().all(|clause| clause.place_names().is_empty()));
    assert_eq!(interests.clauses.len(), 4);
}

#[test]
fn a_list_of_places_needs_no_commas() {
    assert_eq!(parsed("Israel Gaza Lebanon Iran Turkey"), ["Israel", "Gaza", "Lebanon", "Iran", "Turkey"]);
    assert_eq!(parsed("France Germany"), ["France Germany"]);
}

#[test]
fn a_remark_on_a_subject_is_none() {
    let text = "rivers, Africa, which the television hardly mentions, and ferries";
    assert_eq!(parsed(text), ["rivers", "Africa", "ferries"]);
    assert_eq!(parsed("health, WHO funding, vaccines").len(), 3);
}

#[test]
fn a_word_that_leads_up_elsewhere_may_be_a_subject_s() {
    let words = |text: &str| Interests::parse(text).clauses.remove(0).words;
    assert_eq!(words("I have an interest in interest rates"), ["interest", "rates"]);
    assert_eq!(words("the cost of living"), ["cost", "living"]);
    assert_eq!(words("the two world wars"), ["two", "world", "wars"]);
}

#[test]
fn a_denial_may_follow_its_object() {
    assert_eq!(parsed("Ferries, but football bores me"), ["Ferries", "-football"]);
    assert_eq!(parsed("Fußball interessiert mich nicht. Fähren"), ["-Fußball", "Fähren"]);
}

#[test]
fn other_languages_deny_in_their_own_words() {
    assert_eq!(parsed("Datenbanken, bitte keinen Sport"), ["Datenbanken", "-Sport"]);
    assert_eq!(parsed("la politique européenne, sauf le sport"), ["politique européenne", "-sport"]);
    assert_eq!(parsed("Cocina y viajes. Nada de política"), ["Cocina", "viajes", "-política"]);
}

#[test]
fn other_languages_are_read_in_english_too() {
    let words = |text: &str| Interests::parse(text).clauses.iter().map(Clause::all_words).collect::<Vec<_>>();
    assert_eq!(
        words("Klimawandel. Kein Fußball"),
        [["klimawandel", "climate", "change"].as_slice(), &["fußball", "football", "soccer"]]
    );
    assert_eq!(words("la bande dessinée et la guerre en Allemagne")[1], ["guerre", "war", "germany"]);
    assert_eq!(words("the art of pain"), [["art", "pain"]]);
}

#[test]
fn a_place_holds_for_its_sentence() {
    let interests = Interests::parse("I follow Latin America: politics, trade. No sport. Rust");
    let names: Vec<Vec<String>> = interests.clauses.iter().map(Clause::place_names).collect();
    let latin = vec!["latin america".to_owned()];
    assert_eq!(names, [latin.clone(), latin.clone(), latin, vec![], vec![]]);
    let shared = Interests::parse("South and Central America, dogs and South Africa");
    let names: Vec<Vec<String>> = shared
        .clauses
        .iter()
        .map(|clause| clause.places.iter().map(|place| Places::shipped().title(place)).collect())
        .collect();
    assert_eq!(
        names,
        [vec!["south america".to_owned()], vec!["central america".to_owned()], vec![], vec!["south africa".to_owned()]]
    );
    let unscoped = Interests::parse("heat pumps, tidal energy in Scotland");
    assert_eq!(unscoped.clauses.iter().map(|clause| clause.place_names().len()).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn an_abbreviation_stands_for_its_words() {
    let interests = Interests::parse("artificial intelligence, large language models in the U.S.");
    assert_eq!(interests.clauses[0].words, ["ai"]);
    assert_eq!(
        (interests.clauses[1].words.as_slice(), interests.clauses[1].places.len()),
        (&["llm".to_owned()][..], 1)
    );
}

#[test]
fn denials_alone_ask_for_nothing() {
    assert!(Interests::parse("no sport").is_empty());
    assert!(Interests::parse("   ").is_empty() && Interests::parse("I like to read the news").is_empty());
    assert!(!Interests::parse("ferries").is_empty());
}

/// Formats clauses as [`parsed`], with a tilde after those that are wanted less.
fn weighed(text: &str) -> Vec<String> {
    let mark = |clause: &Clause| if clause.is_minor { "~" } else { "" };
    let clauses = Interests::parse(text).clauses;
    clauses.iter().zip(parsed(text)).map(|(clause, written)| written + mark(clause)).collect()
}

#[test]
fn what_is_wanted_less_counts_less() {
    assert_eq!(weighed("More science than politics. Astronomy"), ["science", "politics~", "Astronomy"]);
    assert_eq!(weighed("Mehr Handball als Fußball"), ["Handball", "Fußball~"]);
    assert_eq!(weighed("Más cultura que economía, teatro"), ["cultura", "economía~", "teatro"]);
    assert_eq!(weighed("chess, a bit of gardening, opera maybe"), ["chess", "gardening~", "opera~"]);
    assert_eq!(weighed("sport, aber vielleicht Oper und un peu de rugby"), ["sport", "Oper~", "rugby~"]);
    assert_eq!(weighed("larger than life, history that matters"), ["larger than life", "history"]);
    assert_eq!(weighed("außer Politik und vielleicht Oper"), ["-Politik", "Oper~"]);
}

#[test]
fn a_condition_narrows_the_subject_before_it() {
    let words = |text: &str| Interests::parse(text).clauses.into_iter().map(|clause| clause.words).collect::<Vec<_>>();
    assert_eq!(words("AI news only if it's about regulation or jobs"), [["ai", "regulation"], ["ai", "jobs"]]);
    assert_eq!(words("chess, golf but only the Ryder Cup, tennis")[1], ["golf", "ryder", "cup"]);
    assert_eq!(words("Vélo, mais seulement les grands tours"), [["vélo", "grands", "tours"]]);
    assert_eq!(parsed("no politics, only science"), ["-politics", "science"]);
    assert_eq!(parsed("golf only. Krimis – aber nur, wenn nicht blutig"), ["golf", "Krimis", "-blutig"]);
}

#[test]
fn subjects_need_no_commas_either() {
    assert_eq!(
        parsed("climate policy space exploration archaeology chess"),
        ["climate policy", "space exploration", "archaeology", "chess"]
    );
    assert_eq!(parsed("climate policy archaeology"), ["climate policy archaeology"]);
    assert_eq!(parsed("quantum computing of chess engines"), ["quantum computing of chess engines"]);
}

#[test]
fn a_denial_in_everyday_words_is_one() {
    assert_eq!(parsed("Death metal. Pop music gives me a headache."), ["Death metal", "-Pop music"]);
    assert_eq!(parsed("No gossip, reality TV and more"), ["-gossip", "-reality TV"]);
    assert_eq!(parsed("Fusion power, no less. Chess, startups that do more with less").len(), 3);
    assert_eq!(parsed("Diets that work and diets that don't. Solar power"), ["Diets", "diets", "Solar power"]);
    assert_eq!(parsed("chess, trains, only ferries"), ["chess", "trains", "ferries"]);
    assert_eq!(parsed("I have no interest in golf. Golf: no interest. No interest"), ["-golf", "-Golf"]);
    assert_eq!(parsed("Auf Fußball hab ich echt kein Bock. Schach"), ["-Fußball", "Schach"]);
    assert_eq!(parsed("Apple kann mir gestohlen bleiben"), ["-Apple"]);
    assert_eq!(parsed("la mode, très peu pour moi ; le rugby"), ["-mode", "rugby"]);
    assert_eq!(parsed("Me aburre el fútbol. La política me da igual"), ["-fútbol", "-política"]);
    assert_eq!(parsed("Premier League less, Women's Super League more"), ["-Premier League", "Women's Super League"]);
    assert_eq!(parsed("I can't stand golf, my husband watches enough of it for both. Chess"), ["-golf", "Chess"]);
}

#[test]
fn a_denial_at_the_end_denies_what_precedes_it() {
    assert_eq!(parsed("Vom Krieg hab ich genug. Schach"), ["-Krieg", "Schach"]);
    assert_eq!(parsed("Von Tiktok und Influencern will ich nichts wissen"), ["-Tiktok", "-Influencern"]);
    assert_eq!(parsed("La politique, j'en ai marre, sauf au Québec"), ["-politique", "Québec"]);
    assert_eq!(parsed("tecnología; de criptomonedas ya tengo bastante"), ["tecnología", "-criptomonedas"]);
    assert_eq!(
        parsed("I hate what frost does to orchards, so anything on frost protection"),
        ["frost does to orchards", "frost protection"]
    );
    assert_eq!(parsed("Golf brauche ich nicht. J'ai peur pour les abeilles"), ["-Golf", "peur pour les abeilles"]);
    assert_eq!(weighed("I'd rather read about local theatre than Hollywood"), ["local theatre", "Hollywood~"]);
}

#[test]
fn a_digit_is_part_of_the_name_before_it() {
    let words = |text: &str| Interests::parse(text).clauses.remove(0).words;
    assert_eq!(words("Formula 1 and 3 others"), ["formula", "1"]);
    assert_eq!(words("the 2 ferries"), ["ferries"]);
}

#[test]
fn one_word_in_another_form_does_not_name_several() {
    let is_named = |interests: &str, found: &[&str]| {
        let found: Vec<String> = found.iter().map(|word| (*word).to_owned()).collect();
        Interests::parse(interests).clauses[0].is_named_by(&found)
    };
    for (interests, found) in [
        ("functional programming", "program"),
        ("housing costs", "house"),
        ("climate change", "changing"),
        ("functional programming", "functions"),
    ] {
        assert!(!is_named(interests, &[found]), "{interests}: {found}");
    }
    for (interests, found) in [
        ("functional programming", &["programming"][..]),
        ("functional programming", &["functions", "program"]),
        ("housing costs", &["cost"]),
        ("university studies", &["study"]),
        ("house prices", &["houses"]),
        ("diplomacy in the Middle East", &["iran"]),
        ("astronomy", &["astronomers"]),
    ] {
        assert!(is_named(interests, found), "{interests}: {found:?}");
    }
}

#[test]
fn acronyms_that_are_other_words_in_lower_case_keep_their_capitals() {
    let words =
        |text: &str| Interests::parse(text).clauses.iter().map(|clause| clause.words.clone()).collect::<Vec<_>>();
    assert_eq!(words("IT"), [["IT"]]);
    assert_eq!(words("IT security, vaccines and the WHO"), [vec!["IT", "security"], vec!["vaccines"], vec!["WHO"]]);
    assert_eq!(words("raids by ICE; ice on the lake")[0], ["raids", "ICE"]);
    assert_eq!(words("raids by ICE; ice on the lake")[1], ["ice", "lake"]);
    assert_eq!(words(".NET, safety net")[..], [vec!["NET"], vec!["safety", "net"]]);
    assert_eq!(words("ferries, if it rains"), words("ferries, if rains"));
    assert_eq!(parsed("FERRIES AND THE BRIDGE, I LIKE IT"), ["FERRIES", "BRIDGE"]);
}

#[test]
fn a_kind_of_work_is_a_subject_and_the_verb_is_not() {
    assert_eq!(parsed("shift work, care work in Japan"), ["shift work", "care work in Japan"]);
    assert_eq!(parsed("night work, voluntary work"), ["night work", "voluntary work"]);
    assert_eq!(parsed("how AI changes the world of work, chess"), ["AI changes the world of work", "chess"]);
    assert_eq!(parsed("why vaccines work"), ["vaccines"]);
    assert_eq!(parsed("Outside of work I follow chess"), ["chess"]);
    assert_eq!(parsed("How clever machines are changing office work"), ["clever machines are changing office work"]);
    assert_eq!(parsed("how vaccines work, chess"), ["vaccines", "chess"]);
    assert_eq!(parsed("the hours that nurses work"), ["hours that nurses"]);
    assert_eq!(parsed("I work with batteries"), ["batteries"]);
}

#[test]
fn more_ends_less() {
    assert_eq!(parsed("less Trump more science"), ["-Trump", "science"]);
    assert_eq!(parsed("weniger Sport mehr Wissenschaft"), ["-Sport", "Wissenschaft"]);
    assert_eq!(parsed("less sport, more science"), ["-sport", "science"]);
    assert_eq!(parsed("no more sport"), ["-sport"]);
}

/// The words of the clauses that mean a language.
fn languages(interests: &str) -> Vec<String> {
    let clauses = Interests::parse(interests).clauses.into_iter();
    clauses.filter(|clause| clause.sense == Sense::Programming).map(|clause| clause.words.join(" ")).collect()
}

#[test]
fn a_name_means_a_language_beside_what_is_about_programming() {
    assert_eq!(languages("embedded databases; Rust; self-hosting"), ["rust"]);
    assert_eq!(languages("go, typescript"), ["Go"]);
    assert_eq!(languages("Rust, Go"), ["rust", "Go"]);
    assert_eq!(languages("R, Julia and C++; c"), ["R", "julia", "C"]);
    assert_eq!(languages("Go programming; gardening"), ["Go programming"]);
    assert_eq!(languages("linux. No Java"), ["java"]);
    for other in ["Go, chess and board games", "ruby, crystal", "Rust", "travel in Java and Bali; coffee", "Swift"] {
        assert!(languages(other).is_empty(), "{other}");
    }
}

#[test]
fn a_letter_that_means_no_language_is_no_interest() {
    let written = |text: &str| Interests::parse(text).clauses.into_iter().map(|clause| clause.written).collect();
    let found: Vec<String> = written("R, gardening");
    assert_eq!(found, ["gardening"]);
    let found: Vec<String> = written("R, sql");
    assert_eq!(found, ["R", "sql"]);
}
