//! What recorded sessions decode to, compared with files that were read against the bytes by people.
//!
//! `KIBITZER_BLESS=1 cargo test -p kibitzer-tests golden` writes them anew; read the difference before it is kept.

use kibitzer_tests::golden;

#[track_caller]
fn check(name: &str) {
    let (found, kept) = golden(name);
    for (number, (found, kept)) in found.lines().zip(kept.lines()).enumerate() {
        assert_eq!(found, kept, "{name}, line {}", number + 1);
    }
    assert_eq!(found.lines().count(), kept.lines().count(), "{name}: number of events");
}

#[test]
fn logins() {
    check("fatics-login-guest-named");
    check("fatics-login-failed-retry");
    check("fatics-login-registered-ivarstring");
    check("uhlinfics-login-guest-Wanderer");
    check("uhlinfics-login-failures-wrongpw");
    check("uhlinfics-login-failures-nameinuse");
    check("uhlinfics-login-kicked-first");
    check("fatics-login-twice-first");
}

#[test]
fn talk() {
    check("uhlinfics-talk-1-Guestling");
    check("fatics-talk-mixed-b");
}

#[test]
fn block_mode() {
    check("fatics-block-client");
}

#[test]
fn reserves() {
    check("fatics-crazyhouse-black");
    check("uhlinfics-bughouse-4-disconnect-Carla");
}

#[test]
fn delta_boards_and_other_variants() {
    check("fatics-ms-compress-observer");
    check("fatics-chess960-white");
    check("fatics-suicide-black");
}

#[test]
fn a_sealed_session() {
    check("fatics-timeseal1-black");
}

#[test]
fn examined_games() {
    check("uhlinfics-examine-1-Boris");
    check("fatics-examine-second");
}

#[test]
fn offers_and_seeks() {
    check("fatics-game-offers-white");
    check("fatics-match-pending-a");
    check("fatics-seeks-watcher");
}

#[test]
fn endings() {
    check("fatics-game-endings-guest");
    check("uhlinfics-end-adjourn-Erika");
    check("uhlinfics-end-courtesyabort-Guesta");
    check("uhlinfics-admin-shutdown-Trouble");
}

#[test]
fn odd_streams() {
    check("fatics-timeseal2-white");
    check("uhlinfics-style12-truncated-names-Abcdefghijklmnopq");
    check("uhlinfics-prompts-1-Carla");
}
