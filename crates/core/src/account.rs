//! Who may sign in, and what for.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// What an account may do; each role includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads.
    Reader,
    /// Gives feedback, changes sources and topics, starts runs.
    Editor,
    /// Changes accounts and adjusts what was spent.
    Admin,
}

impl Role {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Editor => "editor",
            Self::Admin => "admin",
        }
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Self::Reader, Self::Editor, Self::Admin].into_iter().find(|role| role.as_str() == text).ok_or(())
    }
}

/// An account that has a password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Account {
    pub name: String,
    pub role: Role,
    pub created_at: Timestamp,
}
