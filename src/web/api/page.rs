//! Pagination: the number of entries in an answer, and where it begins.

use serde::Deserialize;
use utoipa::IntoParams;

use super::super::Failure;

const DEFAULT_LIMIT: usize = 30;
const MOST: usize = 200;

/// Which part of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PageQuery {
    /// Entries in the answer: 1 to 200.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<usize>,
    /// `next` of the answer before.
    cursor: Option<String>,
}

impl PageQuery {
    /// # Errors
    /// When it is 0 or above the maximum.
    pub(super) fn limit(&self) -> Result<usize, Failure> {
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        if (1..=MOST).contains(&limit) {
            return Ok(limit);
        }
        Err(Failure::invalid("limit", format!("it is a number from 1 to {MOST}")))
    }

    pub(super) fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// Parses the cursor.
    ///
    /// # Errors
    /// When it is not a cursor of this API.
    pub(super) fn read<T>(&self, read: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, Failure> {
        self.cursor().map(|cursor| read(cursor).ok_or_else(wrong_cursor)).transpose()
    }

    /// Returns one page of a list in memory: the entries after the one that the cursor names.
    ///
    /// # Errors
    /// When the list has no such entry, or the limit is out of range.
    pub(super) fn of<T>(
        &self,
        mut list: Vec<T>,
        id: impl Fn(&T) -> String,
    ) -> Result<(Vec<T>, Option<String>), Failure> {
        let limit = self.limit()?;
        if let Some(cursor) = self.cursor() {
            let at = list.iter().position(|entry| id(entry) == cursor).ok_or_else(wrong_cursor)?;
            list.drain(..=at);
        }
        Ok(cut(list, limit, id))
    }
}

/// Returns the first entries of a list, and the cursor of the next page. The list has one entry more than `limit` if
/// there is a next page.
pub(super) fn cut<T>(mut list: Vec<T>, limit: usize, id: impl Fn(&T) -> String) -> (Vec<T>, Option<String>) {
    let next = list.get(limit.saturating_sub(1)).filter(|_| list.len() > limit).map(id);
    list.truncate(limit);
    (list, next)
}

pub(super) fn wrong_cursor() -> Failure {
    Failure::invalid("cursor", "it is `next` of an answer to the same question; begin again without one")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other_to_the_end() {
        let mut query = PageQuery { limit: Some(2), cursor: None };
        let mut seen = Vec::new();
        loop {
            let (page, next) = query.of((1..=5).collect(), i32::to_string).unwrap();
            assert!(page.len() <= 2);
            seen.extend(page);
            if next.is_none() {
                break;
            }
            query.cursor = next;
        }
        assert_eq!(seen, [1, 2, 3, 4, 5]);
        query.cursor = Some("9".to_owned());
        assert!(query.of((1..=5).collect(), i32::to_string).is_err());
        assert!(PageQuery { limit: Some(0), cursor: None }.limit().is_err());
    }
}
