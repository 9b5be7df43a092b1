//! What is set after the login, and what the server turns out to be able to.

use kibitzer::{Client, Profile};
use kibitzer_core::event::{Capabilities, RequestError};
use kibitzer_core::message::{Ivar, Refusal};
use kibitzer_server::Feature;
use kibitzer_tests::live::{TestServer, options};

fn facts(capabilities: Capabilities) -> [bool; 7] {
    [
        capabilities.has(Ivar::Block),
        capabilities.has(Ivar::Ms),
        capabilities.has(Ivar::NoWrap),
        capabilities.has(Ivar::SeekInfo),
        capabilities.has(Ivar::PendInfo),
        capabilities.has(Ivar::GameInfo),
        capabilities.has(Ivar::CompressMove),
    ]
}

#[tokio::test(start_paused = true)]
async fn capabilities_are_what_the_server_granted() {
    let all =
        |profile: Profile| profile.session(|session| session.with_ivar(Ivar::SeekInfo).with_ivar(Ivar::CompressMove));
    let few = |profile: Profile| profile.session(|session| session.without_ivar(Ivar::Ms).without_ivar(Ivar::GameInfo));
    for is_understood in [true, false] {
        for has_block in [true, false] {
            let case = format!("login string {is_understood}, block mode {has_block}");
            let mut options = options(&["Newton"]);
            if !is_understood {
                options = options.without(Feature::LoginIvars);
            }
            if !has_block {
                options = options.without(Feature::BlockMode);
            }
            let test_server = TestServer::start(options).await;
            let client = Client::connect(all(test_server.profile())).await.unwrap();
            assert_eq!(facts(client.capabilities()), [has_block, true, true, true, true, true, true], "{case}");
            let listed = client.interface_variables().await.unwrap();
            for ivar in ["ms", "nowrap", "seekinfo", "pendinfo", "gameinfo", "compressmove", "defprompt"] {
                assert_eq!(listed.value(ivar), Some("1"), "{case}: {ivar}");
            }
            client.shutdown().await;
            let client = Client::connect(few(test_server.profile())).await.unwrap();
            assert_eq!(facts(client.capabilities()), [has_block, false, true, false, true, false, false], "{case}");
            client.shutdown().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn style_width_bell_and_interface_are_set() {
    let test_server = TestServer::start(options(&["Newton"])).await;
    let client =
        Client::connect(test_server.account("Newton").session(|session| session.interface("observer 1.0".to_owned())))
            .await
            .unwrap();
    let settings = client.own_variables().await.unwrap();
    for (name, want) in [("style", "12"), ("width", "240"), ("height", "240"), ("bell", "0"), ("ptime", "0")] {
        assert_eq!(settings.value(name), Some(want), "{name}: {settings:?}");
    }
    assert!(client.request("variables").await.unwrap().text().contains("Interface: observer 1.0"));
    client.set("bell", "1").await.unwrap();
    assert_eq!(client.own_variables().await.unwrap().value("bell"), Some("1"));
    assert!(client.set("bell", "loud").await.is_err());
    client.style(12).await.unwrap();
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_set_later_is_a_capability_too() {
    let test_server = TestServer::start(options(&[])).await;
    let client = Client::connect(test_server.profile()).await.unwrap();
    assert!(!client.capabilities().has(Ivar::SeekInfo));
    client.enable_ivar(Ivar::SeekInfo).await.unwrap();
    assert_eq!(client.interface_variables().await.unwrap().value("seekinfo"), Some("1"));
    client.disable_ivar(Ivar::SeekInfo).await.unwrap();
    assert_eq!(client.interface_variables().await.unwrap().value("seekinfo"), Some("0"));
    // Block mode may go and come back; requests have their replies all the same.
    for iset in ["iset block 0", "iset block 1", "iset block 0"] {
        client.request(iset).await.unwrap();
        assert!(client.request("date").await.unwrap().text().contains("Server time"));
    }
    let refused = client.request("iset nonsense 1").await;
    let is_unknown = matches!(refused, Err(RequestError::Refused { reason: Refusal::NoSuchVariable, .. }));
    assert!(is_unknown, "{refused:?}");
    client.shutdown().await;
}
