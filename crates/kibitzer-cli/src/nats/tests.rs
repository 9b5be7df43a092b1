use super::*;

#[test]
fn credentials_are_found_in_any_address_of_a_list() {
    for urls in ["nats://foo:bar@host:4222", "nats://token@host", "foo:bar@host", "nats://a:1,tls://foo:b@c:1"] {
        assert!(has_credentials(urls), "{urls}");
    }
    for urls in ["nats://host:4222", "host", "nats://a:1,nats://b:2", "nats://host/path@"] {
        assert!(!has_credentials(urls), "{urls}");
    }
}
