use super::*;
use crate::message::listing::ListingError;
use crate::message::listing::collect::testing::{parse, parse_with_async_lines_inserted};

fn members(list: &ChannelList) -> Vec<(u32, Vec<&str>)> {
    list.channels.iter().map(|c| (c.channel, c.members.iter().map(|m| m.name.as_str()).collect())).collect()
}

#[test]
fn one_channel_of_every_server() {
    let cases: [(&str, u32, &[&str]); 6] = [
        ("Channel 1 \"help\": {A} {B(TM)} C\n3 players are in channel 1.", 1, &["A", "B", "C"]),
        ("Channel 1 \"help\": A B C\n3 players are in channel 1.", 1, &["A", "B", "C"]),
        ("Channel 1: Alice Boris\n2 people are in channel 1.", 1, &["Alice", "Boris"]),
        (
            "53: Bogoljubov GuestMLBX(U) Alekhine\nThere are 3 players in channel 53.",
            53,
            &["Bogoljubov", "GuestMLBX", "Alekhine"],
        ),
        ("There are 0 players in channel 1.", 1, &[]),
        ("Channel 1 is empty.", 1, &[]),
    ];
    for (reply, channel, names) in cases {
        let list = parse::<ChannelList>(reply).unwrap();
        assert_eq!(members(&list), [(channel, names.to_vec())], "{reply}");
        assert_eq!(parse_with_async_lines_inserted::<ChannelList>(reply), Ok(list));
    }
    let fics = parse::<ChannelList>("Channel 1 \"help\": A").unwrap();
    assert_eq!(fics.channels[0].name.as_deref(), Some("help"));
}

#[test]
fn all_channels_of_fatics() {
    let list = parse::<ChannelList>("4: GuestDJVO(U)\n53: Bogoljubov GuestDJVO(U) Alekhine").unwrap();
    assert_eq!(members(&list), [(4, vec!["GuestDJVO"]), (53, vec!["Bogoljubov", "GuestDJVO", "Alekhine"])]);
}

#[test]
fn other_lines_are_not_channels() {
    for line in [
        "53: hi!",
        "53: {A",
        "53: {A B}",
        "Channel 1 is empty, alas.",
        "Channel x: A",
        "3 players are in channel 1",
        "3 dogs are in channel 1.",
        "-1: A",
    ] {
        assert_eq!(parse::<ChannelList>(line), Err(ListingError::NotThisReply), "{line}");
    }
}
