//! Which sentences of a document can be quoted as statements, and which go on in the next one.

use std::sync::LazyLock;

use regex::Regex;

use super::kinds::{is_match, pattern};

// Two keywords: a sentence may begin with a word in capitals ("UPDATE 3 May: …").
pattern!(
    QUERY,
    r"^(?:SELECT\b.*\bFROM|INSERT INTO\b.*\b(?:VALUES|SELECT)|UPDATE\b.*\bSET|DELETE FROM\b.*\bWHERE|(?:CREATE|ALTER|DROP) (?:UNIQUE )?(?:TABLE|INDEX|VIEW)|(?:(?:LEFT|INNER|CROSS) )?JOIN\b.*\bON|(?:ORDER|GROUP) BY|FROM\b.*\bWHERE|WHERE\b.*(?:=|\b(?:IS|IN|LIKE|BETWEEN)\b).*)\b"
);
// Lines of JSON.
pattern!(DATA, r#"^[{}\[\]]+,?$|^[{\[]\s*"|^"[\w.-]+":\s*(?:"[^"]*"|-?[\d.]+|true|false|null|[{\[].*),?$"#);
// Lines of settings: `User=ferry`.
pattern!(SETTING, r"^[A-Z][a-z]\w*=\S.*[^.!?]$");
pattern!(
    COMMAND,
    r#"^(?:\$|sudo|export|curl|cd|cargo|docker|npm|pip|apt|git) |\s--?[a-z][\w-]*|\s[|>] |"\$|=\$|\s\\$"#
);
pattern!(
    REFERS_BACK,
    r"(?i)^(?:they|it|these|those|this|its|their|sie|es|er|diese[rs]?|dies|(?:darin|dabei|davon|dafür|dazu|daran|damit) (?:ist|sind|enthalten|werden|wird|gehör\w+)|ils?|elles?|ceux|estos?)\b"
);

/// Returns whether a sentence states something: it is no lead-in to a list, arrow of a diagram, query, setting, command
/// or example data.
pub(super) fn is_statement(text: &str) -> bool {
    let is_arrow = || ["-->", "==>", "-.->"].iter().any(|arrow| text.contains(arrow));
    let is_prose = text.ends_with(['.', '!', '?']) || text.contains(" · ") || text.contains(": ");
    let is_command = || !is_prose && is_match(&COMMAND, text);
    !text.ends_with(':')
        && !is_arrow()
        && !is_match(&QUERY, text)
        && !is_match(&DATA, text)
        && !is_match(&SETTING, text)
        && !is_command()
}

/// Returns whether a sentence begins with a pronoun, so that it completes the one before it.
pub(super) fn refers_back(text: &str) -> bool {
    is_match(&REFERS_BACK, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lead_ins_arrows_queries_commands_and_data_are_no_statements() {
        for text in [
            "The keeper makes the copy:",
            "open --> closed: the keeper locks it",
            "SELECT name, berth FROM boats ORDER BY name",
            "{\"berth\": \"A\",",
            "\"berth\": \"A\"",
            "ferry list --all | less",
            "$ ferry list",
            "UPDATE boats SET berth = 3",
            "DELETE FROM boats WHERE berth = 3",
            "\"metres\": 12,",
            "\"boats\": [",
            "],",
            "FROM boats WHERE berth IS NOT NULL;",
            "WHERE berth = 3",
            "After=network-online.target",
        ] {
            assert!(!is_statement(text), "{text}");
        }
        for text in [
            "The keeper locks it.",
            "mango: 10.20.0.14, in the cellar",
            "command: list --all · what it does: lists the boats",
            "Use ferry list --all.",
            "Berth: A · Metres: 12",
            "bow line",
            "The tenant sweeps the stairs every week;",
            "(Members only) The tower room opens at 14:00 on Sundays.",
            "UPDATE 3 May: the laundry room closes at 20:00.",
            "FROM 1 June the courtyard gate is locked at ten.",
            "SELECT a berth at the office.",
            "[x] The fence was painted by Olaf.",
            "Notice is given four weeks before [Section 4]",
            "\"Harbour\": a place for 12 boats",
        ] {
            assert!(is_statement(text), "{text}");
        }
    }

    #[test]
    fn a_pronoun_at_the_beginning_refers_back() {
        assert!(
            refers_back("They lapse in May.") && refers_back("These are in the chest.") && refers_back("Sie gilt.")
        );
        assert!(refers_back("Darin enthalten sind Seile.") && !refers_back("Damit Boote fahren, braucht es Wind."));
        assert!(!refers_back("Italy is far.") && !refers_back("The days lapse.") && !refers_back("Essen ist da."));
    }
}
