//! `accounts`, `sessions` and `feed_tokens`.

use aha_core::account::{Account, Role};
use aha_core::ids::UserId;
use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::Database;
use crate::shared::column;
use crate::{AccountRemoval, AccountStore, Result, StoreError};

const ACCOUNTS: &str = "
    SELECT u.name, a.role, a.created_at, a.password_hash
    FROM accounts a JOIN users u ON u.id = a.user_id ORDER BY u.name";

const ACCOUNT: &str = "
    SELECT u.name, a.role, a.created_at, a.password_hash
    FROM accounts a JOIN users u ON u.id = a.user_id WHERE u.name = $1";

/// A user who exists stays as they are.
pub(super) const INSERT_USER: &str =
    "INSERT INTO users (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";

const INSERT_ACCOUNT: &str = "
    INSERT INTO accounts (user_id, role, password_hash, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";

const SET_PASSWORD: &str = "UPDATE accounts SET password_hash = $2 WHERE user_id = $1";

/// Locks the admins' rows: of two removals at the same time the second waits, and then sees what the first removed.
const LOCK_ADMINS: &str = "UPDATE accounts SET role = role WHERE role = 'admin'";

const IS_NEEDED: &str = "
    SELECT a.role = 'admin'
        AND EXISTS (SELECT 1 FROM accounts o WHERE o.user_id <> a.user_id)
        AND NOT EXISTS (SELECT 1 FROM accounts o WHERE o.user_id <> a.user_id AND o.role = 'admin')
    FROM accounts a WHERE a.user_id = $1";

const REMOVE_ACCOUNT: &str = "DELETE FROM accounts WHERE user_id = $1";

const END_SESSIONS: &str = "DELETE FROM sessions WHERE user_id = $1";

const OPEN_SESSION: &str = "
    INSERT INTO sessions (fingerprint, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)";

const REMOVE_EXPIRED: &str = "DELETE FROM sessions WHERE expires_at <= $1";

const SESSION: &str = "
    SELECT u.name, a.role, a.created_at, a.password_hash
    FROM sessions s JOIN accounts a ON a.user_id = s.user_id JOIN users u ON u.id = s.user_id
    WHERE s.fingerprint = $1 AND s.expires_at > $2";

const CLOSE_SESSION: &str = "DELETE FROM sessions WHERE fingerprint = $1";

const SET_FEED_TOKEN: &str = "
    INSERT INTO feed_tokens (user_id, fingerprint, created_at) VALUES ($1, $2, $3)
    ON CONFLICT (user_id) DO UPDATE SET fingerprint = excluded.fingerprint, created_at = excluded.created_at";

const FEED_TOKEN: &str = "SELECT created_at FROM feed_tokens WHERE user_id = $1";

const REMOVE_FEED_TOKEN: &str = "DELETE FROM feed_tokens WHERE user_id = $1";

const USER_OF_FEED_TOKEN: &str = "
    SELECT u.name FROM feed_tokens f JOIN users u ON u.id = f.user_id WHERE f.fingerprint = $1";

struct AccountRow {
    name: String,
    role: String,
    created_at: i64,
    password_hash: String,
}

from_row!(AccountRow { name, role, created_at, password_hash });

impl TryFrom<AccountRow> for Account {
    type Error = StoreError;

    fn try_from(row: AccountRow) -> Result<Self> {
        let role: Role = column::word("account's role", &row.role)?;
        Ok(Self { name: row.name, role, created_at: Timestamp::from_millis(row.created_at) })
    }
}

fn user_id(name: &str) -> String {
    UserId::of(&[name]).to_string()
}

#[async_trait]
impl AccountStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn accounts(&self) -> Result<Vec<Account>> {
        let rows: Vec<AccountRow> = sqlx::query_as(ACCOUNTS).fetch_all(&mut *self.reader().await?).await?;
        rows.into_iter().map(Account::try_from).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn account(&self, name: &str) -> Result<Option<(Account, String)>> {
        let row: Option<AccountRow> =
            sqlx::query_as(ACCOUNT).bind(column::text(name)).fetch_optional(&mut *self.reader().await?).await?;
        let Some(row) = row else { return Ok(None) };
        let hash = row.password_hash.clone();
        Ok(Some((row.try_into()?, hash)))
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn add_account(&self, account: &Account, password_hash: &str) -> Result<bool> {
        let (user, name) = (user_id(&account.name), column::text(&account.name));
        let mut write = self.write("add_account").await?;
        sqlx::query(INSERT_USER)
            .bind(&user)
            .bind(name)
            .bind(account.created_at.as_millis())
            .execute(write.connection())
            .await?;
        let added = sqlx::query(INSERT_ACCOUNT)
            .bind(&user)
            .bind(account.role.as_str())
            .bind(password_hash)
            .bind(account.created_at.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await?;
        Ok(added.rows_affected() > 0)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn set_password(&self, name: &str, password_hash: &str) -> Result<bool> {
        let user = user_id(name);
        let mut write = self.write("set_password").await?;
        let set = sqlx::query(SET_PASSWORD).bind(&user).bind(password_hash).execute(write.connection()).await?;
        sqlx::query(END_SESSIONS).bind(&user).execute(write.connection()).await?;
        write.commit().await?;
        Ok(set.rows_affected() > 0)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn remove_account(&self, name: &str) -> Result<AccountRemoval> {
        let user = user_id(name);
        let mut write = self.write("remove_account").await?;
        sqlx::query(LOCK_ADMINS).execute(write.connection()).await?;
        let is_needed: Option<bool> =
            sqlx::query_scalar(IS_NEEDED).bind(&user).fetch_optional(write.connection()).await?;
        if is_needed == Some(true) {
            write.roll_back().await?;
            return Ok(AccountRemoval::LastAdmin);
        }
        sqlx::query(END_SESSIONS).bind(&user).execute(write.connection()).await?;
        sqlx::query(REMOVE_FEED_TOKEN).bind(&user).execute(write.connection()).await?;
        let removed = sqlx::query(REMOVE_ACCOUNT).bind(&user).execute(write.connection()).await?;
        write.commit().await?;
        Ok(if removed.rows_affected() > 0 { AccountRemoval::Removed } else { AccountRemoval::Unknown })
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn open_session(&self, name: &str, fingerprint: &str, now: Timestamp, until: Timestamp) -> Result<()> {
        let mut write = self.write("open_session").await?;
        sqlx::query(REMOVE_EXPIRED).bind(now.as_millis()).execute(write.connection()).await?;
        sqlx::query(OPEN_SESSION)
            .bind(fingerprint)
            .bind(user_id(name))
            .bind(now.as_millis())
            .bind(until.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn session(&self, fingerprint: &str, now: Timestamp) -> Result<Option<Account>> {
        let row: Option<AccountRow> = sqlx::query_as(SESSION)
            .bind(fingerprint)
            .bind(now.as_millis())
            .fetch_optional(&mut *self.reader().await?)
            .await?;
        row.map(Account::try_from).transpose()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn close_session(&self, fingerprint: &str) -> Result<()> {
        let mut write = self.write("close_session").await?;
        sqlx::query(CLOSE_SESSION).bind(fingerprint).execute(write.connection()).await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn set_feed_token(&self, name: &str, fingerprint: &str, now: Timestamp) -> Result<()> {
        let (user, name) = (user_id(name), column::text(name));
        let mut write = self.write("set_feed_token").await?;
        sqlx::query(INSERT_USER).bind(&user).bind(name).bind(now.as_millis()).execute(write.connection()).await?;
        sqlx::query(SET_FEED_TOKEN)
            .bind(&user)
            .bind(fingerprint)
            .bind(now.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn feed_token(&self, name: &str) -> Result<Option<Timestamp>> {
        let since: Option<i64> =
            sqlx::query_scalar(FEED_TOKEN).bind(user_id(name)).fetch_optional(&mut *self.reader().await?).await?;
        Ok(since.map(Timestamp::from_millis))
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn remove_feed_token(&self, name: &str) -> Result<bool> {
        let mut write = self.write("remove_feed_token").await?;
        let removed = sqlx::query(REMOVE_FEED_TOKEN).bind(user_id(name)).execute(write.connection()).await?;
        write.commit().await?;
        Ok(removed.rows_affected() > 0)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn user_of_feed_token(&self, fingerprint: &str) -> Result<Option<String>> {
        Ok(sqlx::query_scalar(USER_OF_FEED_TOKEN).bind(fingerprint).fetch_optional(&mut *self.reader().await?).await?)
    }
}
