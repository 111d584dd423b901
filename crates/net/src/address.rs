//! Decides which addresses may be fetched, so that no request reaches the user's private network. Input: hosts and
//! resolved addresses; output: permitted or not. Called by the fetcher for address literals at each hop, and by its
//! resolver for names.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// An exception from the address rules (`AHA_FETCH_ALLOW`): a host name or a network. The port of `host:port` is
/// ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allowed {
    Host(String),
    Network(IpNet),
}

/// The text is neither a host nor a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is neither a host name nor an IP address nor a network such as 192.168.0.0/16")]
pub struct InvalidException(String);

impl FromStr for Allowed {
    type Err = InvalidException;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if let Ok(network) = text.parse::<IpNet>() {
            return Ok(Self::Network(network.trunc()));
        }
        let bare = text.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = bare.parse::<IpAddr>() {
            return Ok(Self::Network(address.to_canonical().into()));
        }
        if let Ok(socket) = text.parse::<SocketAddr>() {
            return Ok(Self::Network(socket.ip().to_canonical().into()));
        }
        let host = match text.rsplit_once(':') {
            Some((host, port)) if port.parse::<u16>().is_ok() => host,
            _ => text,
        };
        let host = host_key(host);
        let well_formed = !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || "/:@[]?#".contains(c));
        if well_formed { Ok(Self::Host(host)) } else { Err(InvalidException(text.to_owned())) }
    }
}

/// Returns a host name in the form used for comparison: lower case, without a trailing dot.
#[must_use]
pub fn host_key(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// The address rules and their exceptions.
#[derive(Debug, Clone, Default)]
pub struct AddressRules {
    allow: Arc<[Allowed]>,
    scope: Scope,
}

/// Which addresses are permitted without an exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Scope {
    #[default]
    Public,
    OwnNetwork,
}

impl AddressRules {
    #[must_use]
    pub fn new(allow: Vec<Allowed>) -> Self {
        Self { allow: allow.into(), scope: Scope::Public }
    }

    /// Returns rules that permit only this machine and private networks, without exceptions.
    #[must_use]
    pub fn own_network() -> Self {
        Self { allow: Arc::default(), scope: Scope::OwnNetwork }
    }

    /// Returns whether a request may go to this address.
    #[must_use]
    pub fn permits(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let is_in_scope = match self.scope {
            Scope::Public => !is_forbidden(address),
            Scope::OwnNetwork => is_own_network(address),
        };
        is_in_scope || self.allow.iter().any(|a| matches!(a, Allowed::Network(n) if n.contains(&address)))
    }

    /// Returns whether this host is permitted by name, whatever it resolves to.
    #[must_use]
    pub fn allows_host(&self, host: &str) -> bool {
        let host = host_key(host);
        self.allow.iter().any(|a| matches!(a, Allowed::Host(h) if *h == host))
    }
}

/// Returns whether an address is in a private, local, special or unroutable range, including one embedded in an IPv6
/// address.
#[must_use]
pub fn is_forbidden(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_forbidden_v4(v4),
        IpAddr::V6(v6) => is_forbidden_v6(v6),
    }
}

fn is_forbidden_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    matches!(
        (a, b, c),
        // "This network", private, loopback; multicast and reserved with broadcast.
        (0 | 10 | 127 | 224..=255, ..)
        // Carrier-grade NAT, link-local (cloud metadata), private.
        | (100, 64..=127, _) | (169, 254, _) | (172, 16..=31, _) | (192, 168, _)
        // Protocol assignments, documentation, the old 6to4 relays, benchmarking.
        | (192, 0, 0 | 2) | (192, 88, 99) | (198, 18 | 19, _) | (198, 51, 100) | (203, 0, 113)
    )
}

fn is_forbidden_v6(address: Ipv6Addr) -> bool {
    let s = address.segments();
    let embedded = |high: u16, low: u16| is_forbidden_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)));
    match s {
        // Unspecified, loopback and the other IPv4-compatible addresses.
        [0, 0, 0, 0, 0, 0, high, low] => (high == 0 && low <= 1) || embedded(high, low),
        // IPv4-mapped and -translated; NAT64's well-known prefix; 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => embedded(high, low),
        // Protocol assignments (Teredo, benchmarking, ORCHID) and documentation.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => true,
        // Everything outside global unicast: NAT64's local prefix, discard, unique local, link-local, multicast and
        // unassigned ranges.
        [first, ..] => (first & 0xe000) != 0x2000,
    }
}

/// Ports that browsers refuse, as the Fetch Standard lists them. They serve no feeds, and a request may have an effect
/// on the services behind them.
const BAD_PORTS: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
    532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060,
    5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/// Returns whether browsers refuse this port.
#[must_use]
pub fn is_bad_port(port: u16) -> bool {
    BAD_PORTS.contains(&port)
}

/// Returns the address of a name that is reserved for this machine or for a cloud's metadata service, without a
/// resolver; `None` for other names.
#[must_use]
pub fn reserved_name_address(host: &str) -> Option<IpAddr> {
    const LOCAL: [&str; 5] = ["localhost", "localhost.localdomain", "localhost6", "ip6-localhost", "ip6-loopback"];
    const CLOUD: [&str; 4] = ["metadata", "metadata.goog", "instance-data", "metadata.azure.com"];
    if LOCAL.contains(&host) || host.ends_with(".localhost") || host.ends_with(".localdomain") {
        return Some(Ipv4Addr::LOCALHOST.into());
    }
    let is_inside = CLOUD.contains(&host) || host == "internal" || host.ends_with(".internal");
    is_inside.then_some(METADATA.into())
}

/// The metadata service of most clouds.
const METADATA: Ipv4Addr = Ipv4Addr::new(169, 254, 169, 254);

/// Services of clouds that hand out credentials. Link-local or unique local, but not part of the user's network: for
/// containers (ECS) and pods (EKS) of AWS, then over IPv6 for EC2, EKS and Google Cloud.
const CREDENTIALS_V4: [Ipv4Addr; 3] = [METADATA, Ipv4Addr::new(169, 254, 170, 2), Ipv4Addr::new(169, 254, 170, 23)];
const CREDENTIALS_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];

/// Returns whether an address is this machine's or in a private network, so that data sent to it does not leave that
/// network. Not the complement of public: carrier-grade NAT, multicast and documentation ranges are refused by
/// [`is_forbidden`] but are not the user's network.
#[must_use]
pub fn is_own_network(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => !CREDENTIALS_V4.contains(&v4) && (v4.is_loopback() || v4.is_private() || v4.is_link_local()),
        IpAddr::V6(v6) => {
            !CREDENTIALS_V6.contains(&v6) && (v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local())
        }
    }
}

/// Why a name was not resolved. Recovered from reqwest's chain of causes.
#[derive(Debug, Clone)]
pub enum ResolveFailure {
    Refused { host: String, address: IpAddr },
    Unknown { host: String, reason: String },
}

impl fmt::Display for ResolveFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { host, address } => write!(f, "{host} resolves to {address}, which is refused"),
            Self::Unknown { host, reason } => write!(f, "{host} cannot be resolved: {reason}"),
        }
    }
}

impl std::error::Error for ResolveFailure {}

/// Resolves a name to its addresses.
#[async_trait]
pub trait Lookup: fmt::Debug + Send + Sync {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The operating system's resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|socket| socket.ip()).collect())
    }
}

/// Resolves names, and refuses a name if any of its addresses is forbidden. The connection uses the checked addresses;
/// the name is not resolved again.
#[derive(Debug, Clone)]
pub struct CheckedResolver {
    rules: AddressRules,
    lookup: Arc<dyn Lookup>,
    /// The proxy's host, which the user configured: exempt from the rules.
    trusted: Option<String>,
}

impl CheckedResolver {
    #[must_use]
    pub fn of(rules: AddressRules) -> Self {
        Self { rules, lookup: Arc::new(SystemLookup), trusted: None }
    }

    pub fn by(rules: AddressRules, lookup: Arc<dyn Lookup>) -> Self {
        Self { rules, lookup, trusted: None }
    }

    #[must_use]
    pub fn with_trusted_host(&self, host: Option<String>) -> Self {
        Self { trusted: host.map(|host| host_key(&host)), ..self.clone() }
    }

    pub async fn checked(&self, host: &str) -> Result<Vec<IpAddr>, ResolveFailure> {
        let unknown = |reason: String| ResolveFailure::Unknown { host: host.to_owned(), reason };
        let addresses = self.lookup.addresses(host).await.map_err(|error| unknown(error.to_string()))?;
        if addresses.is_empty() {
            return Err(unknown("the name has no address".to_owned()));
        }
        let is_exempt = self.rules.allows_host(host) || self.trusted.as_deref() == Some(host_key(host).as_str());
        match addresses.iter().find(|address| !is_exempt && !self.rules.permits(**address)) {
            Some(refused) => Err(ResolveFailure::Refused { host: host.to_owned(), address: *refused }),
            None => Ok(addresses),
        }
    }
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let addresses = resolver.checked(name.as_str()).await?;
            Ok(Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use reqwest::dns::Resolve;

    use super::{AddressRules, Allowed, CheckedResolver, ResolveFailure, is_forbidden};

    #[tokio::test]
    async fn a_name_that_leads_inside_is_refused_unless_excepted() {
        let resolve = async |allow: &[&str]| {
            let rules = AddressRules::new(allow.iter().map(|a| a.parse().unwrap()).collect());
            CheckedResolver::of(rules).resolve("localhost".parse().unwrap()).await.map(Iterator::count)
        };
        let error = resolve(&[]).await.unwrap_err();
        assert!(matches!(error.downcast_ref(), Some(ResolveFailure::Refused { host, .. }) if host == "localhost"));
        assert!(resolve(&["10.0.0.0/8"]).await.is_err());
        assert!(resolve(&["localhost"]).await.unwrap() > 0 && resolve(&["127.0.0.0/8", "::1"]).await.unwrap() > 0);
    }

    #[test]
    fn own_networks_are_not_all_that_is_forbidden() {
        let rules = AddressRules::own_network();
        for own in "127.0.0.1 127.9.9.9 10.0.0.1 172.31.0.1 192.168.1.1 169.254.1.1 ::1 fd00::1 fe80::1 ::ffff:10.0.0.1"
            .split_whitespace()
        {
            assert!(rules.permits(own.parse().unwrap()), "{own} is the owner's");
        }
        for other in
            "8.8.8.8 172.32.0.1 100.64.0.1 169.254.169.254 169.254.170.2 fd00:ec2::254 fd20:ce::254 0.0.0.0 224.0.0.1 203.0.113.9 2606:4700::1 :: ff02::1 \
            ::ffff:8.8.8.8 64:ff9b::10.0.0.1 2002:7f00:1::"
                .split_whitespace()
        {
            assert!(!rules.permits(other.parse().unwrap()), "{other} is not");
        }
    }

    #[test]
    fn forbidden_ranges_and_their_neighbours() {
        let forbidden = "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.0.1 \
            169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.5 192.88.99.1 192.168.1.1 198.18.0.1 \
            198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 \
            ::ffff:10.0.0.1 ::ffff:0:10.0.0.1 ::ffff:169.254.169.254 64:ff9b::10.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 \
            2002:7f00:1:: 2002:c0a8:101::1 2001:db8::1 2001::1 fc00::1 fd12:3456::1 fe80::1 febf::1 fec0::1 ff02::1 100::1 \
            2001:2::1 2001:10::1 2001:20::1 3fff::1 3fff:fff::1 4000::1 5f00::1 1::1 ::2:0:0:1 a000::1";
        for text in forbidden.split_whitespace() {
            assert!(is_forbidden(text.parse().unwrap()), "{text} must be refused");
        }
        let fine = "1.1.1.1 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.0.1.1 \
            192.169.0.1 198.17.0.1 198.20.0.1 223.255.255.255 2606:4700::1 64:ff9b::1.1.1.1 2002:101:101::1 \
            ::ffff:8.8.8.8 2a00:1450::1 2001:200::1 2001:4860:4860::8888 3ffe::1";
        for text in fine.split_whitespace() {
            assert!(!is_forbidden(text.parse().unwrap()), "{text} is public");
        }
    }

    #[test]
    fn exceptions_are_hosts_addresses_or_networks() {
        let read = |text: &str| text.parse::<Allowed>().unwrap();
        let rules =
            AddressRules::new(vec![read("NAS.lan:8080"), read("10.1.0.0/16"), read("127.0.0.1:99"), read("[::1]")]);
        assert!(rules.allows_host("nas.lan.") && !rules.allows_host("other.lan"));
        for (address, permitted) in [
            ("10.1.2.3", true),
            ("10.2.0.1", false),
            ("127.0.0.1", true),
            ("127.0.0.2", false),
            ("::1", true),
            ("::ffff:10.1.0.9", true),
        ] {
            assert_eq!(rules.permits(address.parse().unwrap()), permitted, "{address}");
        }
        // Either way of writing an IPv4 address means the same one.
        let mapped = AddressRules::new(vec![read("::ffff:127.0.0.1"), read("[::ffff:10.0.0.1]:80")]);
        assert!(mapped.permits("127.0.0.1".parse().unwrap()) && mapped.permits("::ffff:10.0.0.1".parse().unwrap()));
        assert!("http://x/".parse::<Allowed>().is_err() && "".parse::<Allowed>().is_err());
    }
}
