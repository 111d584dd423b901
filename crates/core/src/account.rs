//! Accounts that may sign in, and their roles.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// What an account may do. Each role includes the roles before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// May read.
    Reader,
    /// May give feedback, change sources and topics, and start runs.
    Editor,
    /// May change accounts and adjust recorded spending.
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
