//! Questions of which nothing, or only a part, is about the records.

use super::radar;
use crate::support::radar::Engine;

#[test]
fn what_is_not_about_the_records_is_named_and_not_answered_with_the_plan() {
    let radar = radar(Engine::Sqlite);
    radar.ok(&["todo", "add", "buy stamps tomorrow"]);
    for mode in ["plan", "auto", "chat"] {
        let ask = |message: &str| radar.ok(&["assistant", message, "--mode", mode]);
        let said = ask("What's the weather?");
        let why = "Not understood: \"What's the weather\". Without a model, only questions about what is planned";
        assert!(said.starts_with(why) && !said.contains("buy stamps"), "{said}");
        let said = ask("what do I have to do tomorrow and who is the president");
        let both = "Planned on Fri 2026-11-20: buy stamps. Not understood: \"who is the president\".";
        assert!(said.starts_with(both), "{said}");
        let said = ask("hello");
        assert!(said.starts_with("Planned from Thu 2026-11-19 to Wed 2026-11-25:"), "{said}");
    }
}
