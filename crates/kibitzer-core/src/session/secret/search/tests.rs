use super::*;

/// The bytes with the secret hidden; the same however they are cut.
fn hidden(secret: &str, bytes: &[u8]) -> Vec<u8> {
    let secrets = [Secret::new(secret.as_bytes()).unwrap()];
    let mut all = bytes.to_vec();
    let n_done = mask_secrets_in_stream(&secrets.iter(), &mut all);
    for end in 0..bytes.len() {
        let mut start = bytes[..end].to_vec();
        let n_sure = mask_secrets_in_stream(&secrets.iter(), &mut start);
        assert_eq!(start[..n_sure], all[..n_sure], "{bytes:?} cut at {end}");
    }
    assert!(n_done <= all.len());
    all
}

#[test]
fn a_secret_is_found_whatever_stands_inside_of_it() {
    let cases: &[(&str, &str, &[u8], &[u8])] = &[
        ("nothing", "perch", b"a perch.", b"a *****."),
        ("other letters", "Perch", b"pERCH", b"*****"),
        ("NUL, CR, bell", "perch", b"p\0e\rr\x07ch.", b"*\0*\r*\x07**."),
        ("IAC NOP", "perch", b"pe\xff\xf1rch.", b"**\xff\xf1***."),
        ("IAC WILL ECHO", "perch", b"pe\xff\xfb\x01rch.", b"**\xff\xfb\x01***."),
        ("IAC SB", "perch", b"pe\xff\xfa\x18x\xff\xf0rch.", b"**\xff\xfa\x18x\xff\xf0***."),
        ("escape", "perch", b"pe\x1b[31;1mrch.", b"**\x1b[31;1m***."),
        ("broken escape", "perch", b"pe\x1brch.", b"**\x1b***."),
        ("entity", "perch", b"p&#x65;r&#x0063;h.", b"*****************."),
        ("wrap", "perch", b"pe\n\r\\   rch.", b"**\n\r\\   ***."),
        ("wrap at a blank", "sea perch", b"sea\n\r\\   perch.", b"***\n\r\\   *****."),
        ("wrap after a blank", "sea perch", b"sea \n\r\\   perch.", b"****\n\r\\   *****."),
        ("all of it", "perch", b"p\0\xff\xf1&#x65;\x1b[m\n\r\\   rch.", b"*\0\xff\xf1******\x1b[m\n\r\\   ***."),
        ("a character of Latin-1", "p&#xe9;rch", b"p\xe9rch p&#xE9;rch.", b"***** **********."),
        ("an escaped 255", "p&#xff;", b"p\xff\xff.", b"***."),
        ("signs", "p&[", b"p&[.", b"***."),
        ("another line", "perch", b"pe\n\rrch.", b"pe\n\rrch."),
        (
            "too much inside",
            "perch",
            &[b"pe", &[0; 300][..], b"rch."].concat(),
            &[b"pe", &[0; 300][..], b"rch."].concat(),
        ),
    ];
    for (name, secret, bytes, want) in cases {
        assert_eq!(hidden(secret, bytes).escape_ascii().to_string(), want.escape_ascii().to_string(), "{name}");
    }
}

#[test]
fn what_waits_for_more_is_bounded() {
    let secrets = [Secret::new(b"perch").unwrap()];
    for noise in [&b"\0"[..], b"\x1b[1", b"\n\r\\  ", b"\n\r\r"] {
        let mut bytes =
            [b"p", &noise.repeat(4)[..noise.len()], &noise.last_chunk::<1>().unwrap().repeat(2_000)].concat();
        let n_done = mask_secrets_in_stream(&secrets.iter(), &mut bytes);
        assert!(bytes.len() - n_done <= 2 * MAX_SKIPPED, "{noise:?}: {n_done}");
    }
}

#[test]
fn lines_may_have_a_blank_at_a_break_and_end_with_their_last_byte() {
    let secret = Secret::new(b"perch").unwrap();
    assert!(secret.is_in(b"a pe rch") && secret.is_in(b"p&#x65;rch") && !secret.is_in(b"a per") && !secret.is_in(b""));
    for secret in ["sea&", "sea&#", "sea&#x1"] {
        assert!(Secret::new(secret.as_bytes()).unwrap().is_in(format!("it is {secret}").as_bytes()), "{secret}");
    }
    let mut line = *b"a pe rch, per";
    mask_secrets_in_line(&[&secret].into_iter(), &mut line);
    assert_eq!(&line, b"a ******, per");
    assert!(!format!("{secret:?}").contains("perch") && Secret::new(b"  ").is_none());
}
