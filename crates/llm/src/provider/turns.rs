//! Conversations for providers that require user and assistant to alternate, starting with the user.

use super::{Role, Turn};

/// Inserted as the user's message where the assistant's comes first.
const OPENING: &str = "(The conversation begins.)";

/// Merges consecutive turns of one role and removes empty ones, because such providers refuse both.
pub(super) fn alternating(turns: &[Turn]) -> Vec<Turn> {
    let mut merged: Vec<Turn> = Vec::new();
    for turn in turns.iter().filter(|turn| !turn.content.trim().is_empty()) {
        match merged.last_mut() {
            Some(last) if last.role == turn.role => {
                last.content.push_str("\n\n");
                last.content.push_str(&turn.content);
            }
            None if turn.role == Role::Assistant => {
                merged.push(Turn { role: Role::User, content: OPENING.to_owned() });
                merged.push(turn.clone());
            }
            _ => merged.push(turn.clone()),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_speak_in_turns_and_the_user_first() {
        let turn = |role, content: &str| Turn { role, content: content.to_owned() };
        let (user, model) = (Role::User, Role::Assistant);
        let said = [turn(model, "Hello."), turn(user, "A"), turn(model, " "), turn(user, "B"), turn(model, "C")];
        let expected = [turn(user, OPENING), turn(model, "Hello."), turn(user, "A\n\nB"), turn(model, "C")];
        assert_eq!(alternating(&said), expected);
        assert_eq!(alternating(&[]), []);
    }
}
