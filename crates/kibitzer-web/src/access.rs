//! Who may see the page, and what a viewer may do: `Host` and `Origin`, tokens and cookies.

use std::net::IpAddr;

use axum::http::header::{AUTHORIZATION, COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, Uri};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::{Value, json};

/// What a viewer may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rights {
    /// Whether it may send commands and play a recording, as far as the process allows these.
    pub(crate) may_act: bool,
}

const FOREIGN_HOST: &str = "the host of the request is not one of this server";
const FOREIGN_PAGE: &str = "the request comes from another page";
const NO_TOKEN: &str = "open the link with the token that the program printed";

/// The secrets of a server, and the names by which it is reached.
#[derive(Debug)]
pub(crate) struct Access {
    /// Names besides IP addresses and `localhost`.
    pub(crate) hosts: Vec<String>,
    /// Name of the cookie. It has the port, because a browser sends the cookies of a host to all of its ports.
    pub(crate) cookie: String,
    /// Tokens in links, that of viewers who may act and that of all others; `None` if no token is required.
    pub(crate) links: Option<[String; 2]>,
    /// Token of commands; `None` if there are none.
    pub(crate) write: Option<String>,
    /// Token that plays a recording; `None` for other sources.
    pub(crate) control: Option<String>,
}

impl Access {
    /// Checks a request, and returns the rights of its sender.
    ///
    /// # Errors
    ///
    /// What the viewer reads if the request has another `Host`, comes from another page, or lacks a token.
    pub(crate) fn check(&self, headers: &HeaderMap, uri: &Uri) -> Result<Rights, &'static str> {
        let host = single(headers, &HOST).ok_or(FOREIGN_HOST)?;
        if !self.is_own_name(host) {
            return Err(FOREIGN_HOST);
        }
        if headers.contains_key(ORIGIN) {
            let origin = single(headers, &ORIGIN).and_then(|origin| origin.split_once("://"));
            let is_own = |(scheme, authority): (&str, &str)| {
                matches!(scheme, "http" | "https") && authority.eq_ignore_ascii_case(host)
            };
            if !origin.is_some_and(is_own) {
                return Err(FOREIGN_PAGE);
            }
        }
        let Some(links) = &self.links else { return Ok(Rights { may_act: true }) };
        // The token of a link is checked even if there is a cookie, because it replaces the cookie, which may be one of an earlier run.
        let given = token_of(uri).or_else(|| self.cookie_of(headers)).ok_or(NO_TOKEN)?;
        let is = |link: Option<&String>| link.is_some_and(|link| is_equal(link, given));
        match (is(links.first()), is(links.last())) {
            (true, _) => Ok(Rights { may_act: true }),
            (_, true) => Ok(Rights { may_act: false }),
            _ => Err(NO_TOKEN),
        }
    }

    /// Returns whether a `Host` is an IP address, `localhost` or a configured name. Other names are refused to prevent DNS rebinding,
    /// in which a foreign page reads this one through a name of its own that resolves to this machine.
    fn is_own_name(&self, host: &str) -> bool {
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        let name = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
        let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let own = self.hosts.iter().map(String::as_str).chain(["localhost"]);
        address.parse::<IpAddr>().is_ok() || own.into_iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    fn cookie_of<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let pairs = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok()).flat_map(|it| it.split(';'));
        pairs
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(name, _)| *name == self.cookie)
            .map(|(_, value)| value)
    }

    /// Returns the object of the tokens of a viewer.
    pub(crate) fn tokens(&self, rights: Rights) -> Value {
        let tokens = [("write", &self.write), ("control", &self.control)];
        let tokens = tokens.into_iter().filter_map(|(right, token)| Some((right.to_owned(), json!(token.as_ref()?))));
        if rights.may_act { Value::Object(tokens.collect()) } else { json!({}) }
    }
}

/// Returns the token in a link.
pub(crate) fn token_of(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

/// Returns whether a request has this token as its authorization.
pub(crate) fn is_authorized(headers: &HeaderMap, token: Option<&String>) -> bool {
    let given = single(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    token.zip(given).is_some_and(|(token, given)| is_equal(token, given))
}

/// Returns the value of a header that occurs exactly once.
pub(crate) fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Compares in a time that does not depend on where the texts differ.
fn is_equal(known: &str, given: &str) -> bool {
    known.len() == given.len() && known.bytes().zip(given.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// Returns a random token of 128 bits, in hexadecimal digits.
///
/// # Errors
///
/// The system has no random numbers.
pub(crate) fn random_token() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).map_err(|_| std::io::Error::other("the system has no random numbers"))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}
