//! Identifiers. All are UUIDv5 of a natural identity, so that the same input has the same id on every machine.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The namespace of all identifiers of Aha Radar (UUIDv5 of the DNS name `aha-radar`).
const NAMESPACE: Uuid = Uuid::from_u128(0x5f2c_9d0e_6b1a_5c3e_8f47_2a90_d1c4_7be3);

fn derive(kind: &str, parts: &[&str]) -> Uuid {
    let mut name = String::from(kind);
    for part in parts {
        // The unit separator keeps ("ab", "c") and ("a", "bc") apart.
        name.push('\u{1f}');
        name.push_str(part);
    }
    Uuid::new_v5(&NAMESPACE, name.as_bytes())
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Returns the id of the natural identity given by `parts`.
            #[must_use]
            pub fn of(parts: &[&str]) -> Self {
                Self(derive($kind, parts))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

id_type!(/// A user.
    UserId, "user");
id_type!(/// A topic, by its name.
    TopicId, "topic");
id_type!(/// A source, by topic and location.
    SourceId, "source");
id_type!(/// A content item, by its natural identity.
    ItemId, "item");
id_type!(/// A user's document, by source and path.
    DocumentId, "document");
id_type!(/// A story, by topic and first item.
    ClusterId, "cluster");
id_type!(/// A run, by topic, window and mode.
    RunId, "run");
id_type!(/// A digest, by its run.
    DigestId, "digest");
id_type!(/// A line of a digest, by digest and cluster.
    DigestItemId, "digest_item");
id_type!(/// A ledger row, by run, purpose and request.
    CallId, "call");
id_type!(/// A feedback event, by user, topic, item and kind.
    FeedbackId, "feedback");
id_type!(/// An applied batch of operations, by user and resulting version.
    BatchId, "operation_batch");
id_type!(/// One fetch of one source in one attempt.
    FetchRunId, "fetch_run");

id_type!(/// A block of the owner's notes, by its parent block or page, its text and its occurrence; or a block
    /// that the journal writes, by the knowledge, page, action and target of the change.
    NoteBlockId, "note_block");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_between_parts_matter() {
        assert_ne!(ItemId::of(&["ab", "c"]), ItemId::of(&["a", "bc"]));
    }

    #[test]
    fn kinds_do_not_collide() {
        assert_ne!(ItemId::of(&["x"]).to_string(), ClusterId::of(&["x"]).to_string());
    }

    #[test]
    fn an_id_reads_back_from_its_text() {
        let id = RunId::of(&["default", "a", "b"]);
        assert_eq!(id.to_string().parse::<RunId>().ok(), Some(id));
    }
}
