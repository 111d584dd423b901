//! The books after a run over a thousand items.

use super::{NOW, WINDOW, billed, of_schema, spent, the_books_agree};
use crate::support::radar::Radar;
use crate::support::responses::OpenAi;
use crate::support::rows;

/// 40 sources of 25 items, no two alike.
fn thousand_items(radar: &Radar) {
    let word = |seed: usize| {
        let letters = (0..7_u32).map(|place| {
            let letter = seed.wrapping_mul(2_654_435_761).rotate_left(place * 5) % 26;
            char::from(b'a' + u8::try_from(letter).unwrap())
        });
        letters.collect::<String>()
    };
    for source in 0..40 {
        let items: Vec<String> = (0..25)
            .map(|item| {
                let number = source * 25 + item;
                let words: Vec<String> = (0..40).map(|place| word(number * 64 + place)).collect();
                format!(
                    "<item><guid>{number}</guid><title>{}</title><pubDate>Tue, 17 Nov 2026 {:02}:{item:02}:00 GMT</pubDate>
                     <description>{}.</description></item>",
                    words[..6].join(" "),
                    source % 24,
                    words.join(" ")
                )
            })
            .collect();
        let feed =
            format!("<rss version='2.0'><channel><title>Source {source}</title>{}</channel></rss>", items.concat());
        std::fs::write(radar.folder().join(format!("{source}.xml")), feed).unwrap();
    }
    let files: Vec<String> =
        (0..40).map(|source| radar.folder().join(format!("{source}.xml")).display().to_string()).collect();
    radar.add(&files.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Slow in a development build, so `scripts/acceptance.sh` runs it. Prints tokens a story in batches and one by one.
#[test]
#[ignore = "takes minutes"]
fn ledger_and_bill_agree_over_a_thousand_items() {
    let mut tokens_a_story = Vec::new();
    for batch in ["10", "1"] {
        let model = OpenAi::start();
        let radar = model
            .serve(Radar::at(NOW))
            .with("AHA_TRIAGE_BATCH_SIZE", batch)
            .with("AHA_LLM_CONCURRENCY", "16")
            .with("AHA_BUDGET_TIER", "high");
        thousand_items(&radar);
        radar.run(&["--run-once", "--window", WINDOW]).exits(0);
        assert_eq!(rows::number(&radar, "SELECT count(*) FROM content_items"), 1000);
        the_books_agree(&radar, &model);
        assert_eq!(spent(&radar), billed(&model));
        let calls = of_schema(&model, "triage_v1").len();
        let judged = rows::number(&radar, "SELECT count(*) FROM answers WHERE task = 'triage'");
        let tokens = rows::number(
            &radar,
            "SELECT sum(input_tokens + output_tokens) FROM provider_calls WHERE purpose = 'triage'",
        );
        assert!(judged >= 800, "{judged} stories");
        assert_eq!(calls, usize::try_from(judged).unwrap().div_ceil(batch.parse().unwrap()));
        tokens_a_story.push((batch, judged, calls, tokens / judged));
    }
    let figures = format!("batch size, stories, calls, tokens a story: {tokens_a_story:?}\n");
    std::io::Write::write_all(&mut std::io::stdout(), figures.as_bytes()).unwrap();
}
