//! Makes plain text of a model's words: without its reasoning, tags, code blocks and Markdown, in one paragraph.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::Value;

/// Returns the `text` of an answer as one plain paragraph, without the model's reasoning, tags, code blocks and
/// Markdown. If the text is JSON, its field `text`, `summary` or `answer` is used.
pub(super) fn plain_text(answer: &Value) -> Option<String> {
    let text = remove_delimited(answer["text"].as_str()?, "<think>", "</think>");
    let text = text.replace("<response>", "").replace("</response>", "");
    let in_json = serde_json::from_str::<Value>(unfenced(&text)).ok();
    let text = match &in_json {
        Some(Value::Object(fields)) => {
            ["text", "summary", "answer"].iter().find_map(|name| fields.get(*name)?.as_str())?
        }
        _ => &text,
    };
    let text = without_markdown(&remove_delimited(text, "```", "```"));
    let words: Vec<&str> = text.split_whitespace().filter(|word| !is_mark(word)).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Returns the content of a code block if it makes up the whole text.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.map_or(text, |inside| inside.strip_prefix("json").unwrap_or(inside).trim())
}

/// Returns whether the word is a list or heading mark.
fn is_mark(word: &str) -> bool {
    matches!(word, "-" | "*") || (!word.is_empty() && word.bytes().all(|byte| byte == b'#'))
}

/// Removes every part from `open` to `close`.
fn remove_delimited(text: &str, open: &str, close: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        kept.push_str(before);
        // A block that is never closed extends to the end.
        rest = after.split_once(close).map_or("", |(_, after)| after);
    }
    kept + rest
}

/// Set between a bracket and a colon while Markdown is parsed: otherwise "[Reminder]: milk" is the definition of a
/// link, which is no part of the text.
const NO_DEFINITION: &str = "\u{feff}";

/// Returns the words of a Markdown text (`CommonMark` with struck-out words and ticks). Numbers of a list, HTML and
/// what looks like the definition of a link stay.
fn without_markdown(text: &str) -> String {
    let text = text.replace("]:", &format!("]{NO_DEFINITION}:"));
    let mut words = String::new();
    let mut numbers: Vec<Option<u64>> = Vec::new();
    for event in Parser::new_ext(&text, Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => words += &text,
            Event::Start(Tag::List(first)) => numbers.push(first),
            Event::Start(Tag::Item) => {
                if let Some(Some(number)) = numbers.last_mut() {
                    words.extend([" ", &number.to_string(), ". "]);
                    *number += 1;
                }
            }
            Event::End(end) => {
                if matches!(end, TagEnd::List(_)) {
                    numbers.pop();
                }
                if !is_within_line(end) {
                    words.push(' ');
                }
            }
            Event::SoftBreak | Event::HardBreak => words.push(' '),
            _ => {}
        }
    }
    words.replace(NO_DEFINITION, "")
}

const fn is_within_line(end: TagEnd) -> bool {
    matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::plain_text;

    #[test]
    fn thoughts_tags_and_code_are_no_part_of_a_text() {
        let text = |text: &str| plain_text(&json!({ "text": text }));
        assert_eq!(text("<think>a\nb</think><response>Add\n milk.</response>").as_deref(), Some("Add milk."));
        assert_eq!(text("One ```json\n{}``` two - three").as_deref(), Some("One two three"));
        assert_eq!(text("<think>never closed"), None);
        assert_eq!(text("## Plan\n* **Add** `milk`").as_deref(), Some("Plan Add milk"));
        for json in [r#"{"text": "Add milk."}"#, "```json\n{\"text\": \"Add milk.\"}\n```"] {
            assert_eq!(text(json).as_deref(), Some("Add milk."));
        }
        assert_eq!(text(r#"{"operations": []}"#), None);
    }

    #[test]
    fn markdown_is_no_part_of_a_text() {
        for (text, plain) in [
            ("# Title\n- **bold** item `code` [l](http://x)", "Title bold item code l"),
            ("See [the *wiki* page](https://a.example/b_(c)), please.", "See the wiki page, please."),
            ("![A map](map.png) [![Logo](l.png)](https://a.example)", "A map Logo"),
            (
                "_Add_ *buy milk*, __call Ann__ and ***rest***, ~~not this~~.",
                "Add buy milk, call Ann and rest, not this.",
            ),
            (
                "[Reminder]: milk\n[Reminder]: eggs\n\n- [Ann]: `[0]: call`\n\n> [b\nc]: /d",
                "[Reminder]: milk [Reminder]: eggs [Ann]: [0]: call [b c]: /d",
            ),
            (
                "> Quoted\n\n---\n\n1. First\n+ [x] Second\n- [ ] Third\n\nPlan\n====",
                "Quoted 1. First Second Third Plan",
            ),
        ] {
            assert_eq!(plain_text(&json!({ "text": text })).as_deref(), Some(plain), "{text}");
        }
    }

    #[test]
    fn signs_that_are_no_markdown_stay() {
        for text in [
            "Rename snake_case_name to C#, at 5*3 and [later] (perhaps).",
            "It is -3 °C; the list [a, b] stays, and so do 1 < 2, a ~ b and price* or fee*.",
            "An open [bracket( and an open _word.",
            "[Reminder]: milk",
            "Planned: [Ann]: call, and a[0]: x.",
        ] {
            assert_eq!(plain_text(&json!({ "text": text })).as_deref(), Some(text));
        }
        assert!(plain_text(&json!({ "text": "[".repeat(4_000) })).is_some());
    }
}
