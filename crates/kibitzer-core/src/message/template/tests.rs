use super::*;

#[test]
fn a_template_fits_from_end_to_end() {
    let cases: &[(&str, &str, bool)] = &[
        ("Foo backs up 4 moves.", "% backs up # moves.", true),
        ("Foo(GM)(*) backs up  4 moves. ", "% backs up # moves.", true),
        ("Foo backs up 4 moves. x", "% backs up # moves.", false),
        ("Foo backs up moves.", "% backs up # moves.", false),
        ("Foo backs up 99999999999 moves.", "% backs up # moves.", false),
        ("Foo backs", "% backs up # moves.", false),
        ("by x) y", "by @ y", true),
        ("", "*", true),
        ("Illegal move (Qd2).  ", "Illegal move (*).", true),
        ("Illegal move ().).", "Illegal move (*).", true),
        ("Illegal move ).", "Illegal move (*).", false),
        ("Illegal move (Qd2). x", "Illegal move (*).", false),
        ("You are muzzled.", "You are {muted|muzzled|muzzled in all channels}.", true),
        ("You are muzzled in all channels.", "You are {muted|muzzled|muzzled in all channels}.", true),
        ("You are silent.", "You are {muted|muzzled}.", false),
        ("Foo backs up 1 move.", "% backs up # move{s|}.", true),
        ("Foo declines your draw offer.", "% declines your &.", true),
        ("Foo declines your draw move.", "% declines your &.", false),
    ];
    for &(text, template, want) in cases {
        assert_eq!(match_template(text.as_bytes(), template).is_some(), want, "{text}");
    }
    let both = match_template(b"Foo has joined a match with Foo.", "% has joined a match with %.").unwrap();
    assert_eq!((both.name, both.second_name), (Some(Handle::from_wire(b"Foo")), Some(Handle::from_wire(b"Foo"))));
    let rest = match_template(b"A for 3 c. for 4 c. ", "% for * c.").unwrap().rest;
    assert_eq!(rest, b"3 c. for 4");
}

#[test]
fn a_template_is_written_only_with_all_its_parts() {
    let parts = SentenceParts { names: &["Foo"], number: Some(4), ..SentenceParts::default() };
    let of_game = SentenceParts { game: Some(GameId(39)), ..parts };
    let cases: &[(&str, &SentenceParts<'_>, Option<&str>)] = &[
        ("% backs up # move{s|}.", &parts, Some("Foo backs up 4 moves.")),
        ("[Game $: ]% backs up # move{s|}.", &parts, Some("Foo backs up 4 moves.")),
        ("[Game $: ]% backs up # move{s|}.", &of_game, Some("Game 39: Foo backs up 4 moves.")),
        ("% backs up # move{s|}.", &of_game, None),
        ("You are now at %'s board (game $).", &of_game, Some("You are now at Foo's board (game 39).")),
        ("You are now at %'s board (game $).", &parts, None),
        ("% has joined a match with %.", &parts, None),
    ];
    for &(template, parts, want) in cases {
        assert_eq!(write_template(template, parts).as_deref(), want, "{template}");
    }
}

#[test]
fn a_game_head_gives_names_without_titles() {
    let cases: &[(&str, Option<(&str, &str)>)] = &[
        ("{Game 3 (A(*) vs. B) x", Some(("A", "B"))),
        ("{Game 3 (A vs. B(GM)(TD)) x", Some(("A", "B"))),
        ("{Game 3 (P=9*;x vs. (1)) x", Some(("P=9*;x", "(1)"))),
        ("{Game 3 (A(b) vs. B) x", Some(("A(b)", "B"))),
        ("{Game 3 (A vs. B x", None),
        ("{Game 3 (A vs. ) x", None),
        ("{Game x (A vs. B) x", None),
    ];
    for &(line, want) in cases {
        let head = read_game_line_head(&mut Cursor::new(line.as_bytes()));
        assert_eq!(head.as_ref().map(|(_, white, black)| (white.as_str(), black.as_str())), want, "{line}");
    }
}
