//! The only access of sources to the network. Input: a URL and its validators. Output: a body, "not modified" or a
//! [`FetchError`]. Called by the connectors. Addresses are checked at every hop, requests to a host are limited, bodies
//! are capped.

mod chain;
mod config;
mod error;
mod freshness;
mod hop;
mod hosts;
mod politeness;
mod request;

use std::sync::Arc;
use std::time::Duration;

use aha_core::clock::Clock;
use aha_core::failpoint;
use aha_core::source::Validators;
use async_trait::async_trait;
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use secrecy::ExposeSecret as _;
use tokio::time::Instant;
use url::{Host, Url};

pub use config::FetchConfig;
pub use error::{FetchError, shown, shown_address};
pub use freshness::Freshness;
pub use hop::MAX_RETRY_AFTER;
pub use hosts::remembered_host;
pub use request::Request;

use aha_net::address::{self, AddressRules, CheckedResolver, host_key};
use chain::Chain;
use hosts::{LimitedHosts, SilentHosts};
use politeness::Politeness;

/// Time limit of name resolution where nothing is to be read.
const MAX_RESOLVING: Duration = Duration::from_secs(5);
/// The next request to a host comes after the gap, or not for a long time, and an open connection uses memory on both
/// sides.
const IDLE_SLACK: Duration = Duration::from_millis(50);

/// The result of a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response {
    /// The validators sent are still valid.
    NotModified {
        final_url: String,
        /// The new address, if all redirects on the way to it were permanent.
        permanent_url: Option<String>,
        etag: Option<String>,
        last_modified: Option<String>,
        freshness: Freshness,
    },
    Body {
        bytes: Vec<u8>,
        content_type: Option<String>,
        final_url: String,
        permanent_url: Option<String>,
        etag: Option<String>,
        last_modified: Option<String>,
        status: u16,
        freshness: Freshness,
    },
}

/// Decides which redirects may be followed, in addition to the address rules.
#[async_trait]
pub trait RedirectGuard: Send + Sync {
    /// Checks whether a redirect to `url` may be followed.
    ///
    /// # Errors
    /// The reason why not.
    async fn may_follow(&self, url: &Url) -> Result<(), FetchError>;
}

struct AllowAll;

#[async_trait]
impl RedirectGuard for AllowAll {
    async fn may_follow(&self, _url: &Url) -> Result<(), FetchError> {
        Ok(())
    }
}

/// Fetches politely and safely. Share one instance per process behind an `Arc`, so that politeness applies to all
/// requests.
#[derive(Debug)]
pub struct Fetcher {
    client: reqwest::Client,
    rules: AddressRules,
    resolver: CheckedResolver,
    politeness: Arc<Politeness>,
    limited: Arc<LimitedHosts>,
    config: Arc<FetchConfig>,
    /// Hosts that did not answer in the run that this fetcher is for. Without a run no host is given up.
    silent: Option<SilentHosts>,
}

impl Fetcher {
    /// Creates a fetcher.
    ///
    /// # Errors
    /// When TLS cannot be set up on this machine.
    pub fn new(config: FetchConfig) -> Result<Self, FetchError> {
        let rules = AddressRules::new(config.allow.clone());
        let resolver = CheckedResolver::by(rules.clone(), Arc::clone(&config.lookup));
        let client = client(&config, &resolver)
            .map_err(|error| FetchError::Tls { host: "any host".to_owned(), reason: hop::root_cause(&error) })?;
        let politeness = Arc::new(Politeness::new(config.host_gap, config.concurrency));
        let config = Arc::new(config);
        Ok(Self { client, rules, resolver, politeness, limited: Arc::default(), config, silent: None })
    }

    /// Returns a fetcher for one run, with the same connections and limits. It gives up a host that does not answer, so
    /// that one silent host does not delay a run by a time-out for each of its sources.
    #[must_use]
    pub fn for_run(&self) -> Self {
        Self {
            client: self.client.clone(),
            rules: self.rules.clone(),
            resolver: self.resolver.clone(),
            politeness: Arc::clone(&self.politeness),
            limited: Arc::clone(&self.limited),
            config: Arc::clone(&self.config),
            silent: Some(SilentHosts::default()),
        }
    }

    /// The size limit, which also applies to local files.
    #[must_use]
    pub fn max_body_bytes(&self) -> usize {
        self.config.max_body_bytes
    }

    /// Fetches `url`, following redirects. Validators are sent only to the URL that returned them.
    pub async fn get(&self, url: &str, validators: &Validators) -> Result<Response, FetchError> {
        self.send_request(&Request::to(url).if_changed(validators)).await
    }

    /// Sends a request, following redirects.
    pub async fn send_request(&self, request: &Request) -> Result<Response, FetchError> {
        self.send_with_guard(request, &AllowAll).await
    }

    /// Sends a request, following only redirects that `guard` allows.
    pub async fn send_with_guard(&self, request: &Request, guard: &dyn RedirectGuard) -> Result<Response, FetchError> {
        let mut chain = Chain::start(&request.url, self.config.max_redirects)?;
        let mut left = self.config.total_timeout;
        loop {
            let host = self.check(&chain.url).map_err(|error| chain.explained(error))?;
            let remembered = remembered_host(&chain.url).unwrap_or_else(|| host.clone());
            // Before the permit, which may take long, and after it, because of what happened in the meantime.
            self.check_host(&remembered, &host)?;
            let permit = self.politeness.permit(&host).await;
            self.check_host(&remembered, &host)?;
            let began = Instant::now();
            let hop = tokio::time::timeout(left, Box::pin(self.hop(&chain, request))).await;
            left = left.saturating_sub(began.elapsed());
            let timed_out = |_| Err(FetchError::Timeout { host, seconds: self.config.total_timeout.as_secs() });
            let hop = hop.unwrap_or_else(timed_out);
            self.remember(&remembered, &hop);
            drop(permit);
            match hop.map_err(|error| chain.explained(error))? {
                Hop::Done(response) => return Ok(response),
                Hop::Redirect { .. } if request.body.is_some() => {
                    let reason = "it answers something posted, which is sent nowhere else".to_owned();
                    return Err(FetchError::BadRedirect { url: shown(&chain.url), reason });
                }
                Hop::Redirect { location, permanent } => {
                    chain.follow(&location, permanent)?;
                    guard.may_follow(&chain.url).await?;
                }
            }
        }
    }

    /// Checks whether an address may be requested, as far as possible without resolving its name.
    ///
    /// # Errors
    /// The reason why it is refused.
    pub fn check_address(&self, url: &str) -> Result<(), FetchError> {
        let chain = Chain::start(url, self.config.max_redirects)?;
        self.check(&chain.url).map(|_| ())
    }

    /// Resolves the host name of an address, without sending a request to it.
    ///
    /// # Errors
    /// `dns` for a name without an address, or the reason why it is refused.
    pub async fn resolve(&self, url: &str) -> Result<(), FetchError> {
        let chain = Chain::start(url, self.config.max_redirects)?;
        let host = self.check(&chain.url)?;
        let resolving = tokio::time::timeout(MAX_RESOLVING, self.check_resolved_addresses(&chain.url));
        resolving.await.unwrap_or_else(|_| Err(FetchError::Dns { host, reason: "no answer in time".to_owned() }))
    }

    /// Returns the host for politeness, if requests to it are allowed at all.
    fn check(&self, url: &Url) -> Result<String, FetchError> {
        let refuse = |reason: &str| FetchError::BadUrl { url: shown(url), reason: reason.to_owned() };
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refuse("its scheme is neither http nor https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refuse("it holds a user name or password"));
        }
        if url.port().is_some_and(address::is_bad_port) {
            return Err(refuse("its port is one of another service"));
        }
        let host = url.host().ok_or_else(|| refuse("it names no host"))?;
        let address = match host {
            Host::Ipv4(v4) => v4.into(),
            Host::Ipv6(v6) => v6.into(),
            Host::Domain(name) => {
                let key = host_key(name);
                return match address::reserved_name_address(&key) {
                    Some(there) if !self.rules.allows_host(&key) && !self.rules.permits(there) => {
                        Err(FetchError::refused(&key, there))
                    }
                    _ => Ok(key),
                };
            }
        };
        if self.rules.permits(address) {
            Ok(address.to_string())
        } else {
            Err(FetchError::refused(&address.to_string(), address))
        }
    }

    /// Checks whether a request to this host is to be sent now, after what the host did in answer to earlier ones.
    fn check_host(&self, remembered: &str, host: &str) -> Result<(), FetchError> {
        if let Some(wait) = self.limited.remaining(remembered, Instant::now()) {
            return Err(FetchError::HostLimited { host: host.to_owned(), wait: whole_seconds(wait) });
        }
        match self.silent.as_ref().and_then(|silent| silent.given_up(remembered)) {
            Some(timeouts) => Err(FetchError::HostSilent { host: host.to_owned(), timeouts }),
            None => Ok(()),
        }
    }

    fn remember(&self, remembered: &str, hop: &Result<Hop, FetchError>) {
        if let Some(wait) = hop.as_ref().err().and_then(FetchError::retry_after) {
            self.limited.record(remembered, wait, Instant::now());
        }
        let Some(silent) = &self.silent else { return };
        match hop {
            Err(error) if error.is_timeout() => silent.timed_out(remembered),
            // Neither a time-out nor an answer: no connection, or one that broke.
            Err(
                FetchError::Dns { .. }
                | FetchError::RefusedAddress { .. }
                | FetchError::RefusedRedirect { .. }
                | FetchError::Connect { .. }
                | FetchError::Tls { .. }
                | FetchError::Interrupted { .. },
            ) => {}
            Ok(_) | Err(_) => silent.answered(remembered),
        }
    }

    /// Resolves a name and checks its addresses by the rules of every request, for a proxy that resolves names itself, and
    /// before anything is sent.
    async fn check_resolved_addresses(&self, url: &Url) -> Result<(), FetchError> {
        match url.host() {
            Some(Host::Domain(name)) => self.resolver.checked(name).await.map(|_| ()).map_err(FetchError::from),
            _ => Ok(()),
        }
    }

    async fn hop(&self, chain: &Chain, request: &Request) -> Result<Hop, FetchError> {
        let url = &chain.url;
        if self.config.proxy.is_some() {
            self.check_resolved_addresses(url).await?;
        }
        let conditions = hop::conditions(url, &request.validators);
        let conditional = !conditions.is_empty();
        failpoint::hit("fetch.before_send");
        let sent = self.prepare(chain, request).headers(conditions).send().await;
        let response = sent.map_err(|error| hop::classify(&error, url, &self.config))?;
        failpoint::hit("fetch.after_send");
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let freshness = Freshness::of(&headers, Clock::system().wall());
        match status {
            200..=299 => {
                let bytes = hop::body(response, url, &self.config).await?;
                Ok(Hop::Done(Response::Body {
                    bytes,
                    content_type: hop::header_text(&headers, "content-type"),
                    final_url: url.to_string(),
                    permanent_url: chain.permanent_url(),
                    etag: hop::validator(&headers, "etag"),
                    last_modified: hop::validator(&headers, "last-modified"),
                    status,
                    freshness,
                }))
            }
            304 if conditional => Ok(Hop::Done(not_modified(chain, &headers, freshness))),
            301 | 302 | 303 | 307 | 308 => redirect(url, status, &headers),
            _ => Err(hop::refusal(url, status, &headers)),
        }
    }

    /// Builds the request of this hop. Secrets are sent only to the original origin.
    fn prepare(&self, chain: &Chain, request: &Request) -> reqwest::RequestBuilder {
        let builder = match &request.body {
            Some((kind, body)) => {
                self.client.post(chain.url.clone()).header(reqwest::header::CONTENT_TYPE, *kind).body(body.clone())
            }
            None => self.client.get(chain.url.clone()),
        };
        let accept = if request.is_page { hop::ACCEPT_PAGE } else { hop::ACCEPT_FEED };
        let builder = builder.header(reqwest::header::ACCEPT, accept);
        if !chain.is_at_its_origin() {
            return builder;
        }
        let builder = builder.headers(request.headers.clone());
        match &request.login {
            Some((name, password)) => builder.basic_auth(name, Some(password.expose_secret())),
            None => builder,
        }
    }
}

fn client(config: &FetchConfig, resolver: &CheckedResolver) -> reqwest::Result<reqwest::Client> {
    let mut builder = aha_net::client::builder()
        .redirect(Policy::none())
        .no_proxy()
        .referer(false)
        .connect_timeout(config.connect_timeout)
        .read_timeout(config.idle_timeout)
        .pool_max_idle_per_host(1)
        .pool_idle_timeout(config.host_gap + IDLE_SLACK)
        .tls_certs_merge(config.certificates.iter().cloned())
        .user_agent(&config.user_agent);
    let mut trusted = None;
    if let Some(proxy) = &config.proxy {
        let address = proxy.expose_secret();
        trusted = Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_owned));
        builder = builder.proxy(reqwest::Proxy::all(address)?);
    }
    builder.dns_resolver(Arc::new(resolver.with_trusted_host(trusted))).build()
}

/// Rounds up, so that no request comes a moment too early.
fn whole_seconds(wait: Duration) -> Duration {
    Duration::from_secs(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
}

enum Hop {
    Done(Response),
    Redirect { location: String, permanent: bool },
}

fn not_modified(chain: &Chain, headers: &HeaderMap, freshness: Freshness) -> Response {
    Response::NotModified {
        final_url: chain.url.to_string(),
        permanent_url: chain.permanent_url(),
        etag: hop::validator(headers, "etag"),
        last_modified: hop::validator(headers, "last-modified"),
        freshness,
    }
}

fn redirect(url: &Url, status: u16, headers: &HeaderMap) -> Result<Hop, FetchError> {
    let location = hop::location(headers).ok_or_else(|| FetchError::BadRedirect {
        url: shown(url),
        reason: format!("the answer {status} names no address"),
    })?;
    Ok(Hop::Redirect { location, permanent: matches!(status, 301 | 308) })
}
