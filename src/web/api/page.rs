//! Pagination: the number of entries in an answer, and where it begins.

use aha_net::hash::hex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::super::Failure;

const DEFAULT_LIMIT: usize = 30;
const MOST: usize = 200;

/// The part of a list to return.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PageQuery {
    /// Maximum number of entries: 1 to 200.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<usize>,
    /// `next` of the previous response.
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
        Err(Failure::invalid("limit", format!("it must be a number from 1 to {MOST}")))
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

    /// Returns one page of a list in memory: the entries after the one that the cursor names. `place` returns an
    /// entry's position and id; the list is in ascending order of the positions. If the entry was removed, the page
    /// begins where it would be; entries of the same position may then be repeated.
    ///
    /// # Errors
    /// When it is not a cursor of this list, or the limit is out of range.
    pub(super) fn of<T, P: Ord + Serialize + DeserializeOwned>(
        &self,
        mut list: Vec<T>,
        place: impl Fn(&T) -> (P, String),
    ) -> Result<(Vec<T>, Option<String>), Failure> {
        let limit = self.limit()?;
        let cursor = self.read(|text| serde_json::from_slice::<(P, String)>(&from_hex(text)?).ok())?;
        if let Some(cursor) = cursor {
            let named = list.iter().position(|entry| place(entry).1 == cursor.1).map(|at| at + 1);
            let from = named.unwrap_or_else(|| list.partition_point(|entry| place(entry).0 < cursor.0));
            list.drain(..from);
        }
        Ok(cut(list, limit, |entry| hex(serde_json::json!(place(entry)).to_string().as_bytes())))
    }
}

/// Decodes hexadecimal digits, in which clients can put a cursor into an address as it is.
fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let pairs = digits.filter(|digits| digits.len() % 2 == 0)?;
    pairs.chunks(2).map(|pair| u8::try_from(pair[0] << 4 | pair[1]).ok()).collect()
}

/// Returns the first entries of a list, and the cursor of the next page. The list has one entry more than `limit` if
/// there is a next page.
pub(super) fn cut<T>(mut list: Vec<T>, limit: usize, id: impl Fn(&T) -> String) -> (Vec<T>, Option<String>) {
    let next = list.get(limit.saturating_sub(1)).filter(|_| list.len() > limit).map(id);
    list.truncate(limit);
    (list, next)
}

pub(super) fn wrong_cursor() -> Failure {
    Failure::invalid("cursor", "it must be the `next` of a response to the same request; start again without a cursor")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other_to_the_end() {
        let place = |n: &i32| (*n, n.to_string());
        let mut query = PageQuery { limit: Some(2), cursor: None };
        let mut seen = Vec::new();
        loop {
            let (page, next) = query.of((1..=5).collect(), place).unwrap();
            assert!(page.len() <= 2);
            seen.extend(page);
            if next.is_none() {
                break;
            }
            query.cursor = next;
        }
        assert_eq!(seen, [1, 2, 3, 4, 5]);
        query.cursor = Some("9".to_owned());
        assert!(query.of((1..=5).collect(), place).is_err());
        query.cursor = None;
        let (_, cursor) = query.of((1..=5).collect(), place).unwrap();
        let rest = PageQuery { limit: Some(9), cursor };
        let removed = |list: Vec<i32>| rest.of(list, place).unwrap().0;
        assert_eq!(removed(vec![1, 3, 4]), [3, 4], "without the entry that the cursor names");
        assert!(removed(Vec::new()).is_empty());
        assert!(PageQuery { limit: Some(0), cursor: None }.limit().is_err());
    }
}
