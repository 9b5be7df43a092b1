use kibitzer_core::EventReader;
use kibitzer_core::event::Attribution;

use super::*;

/// A session in which the server said and the client sent this, in order.
fn session(steps: &[(&str, &[u8])]) -> SessionModel {
    let (mut model, mut reader) = (SessionModel::default(), EventReader::default());
    for (direction, bytes) in steps {
        if *direction == "tx" {
            let kind = SourceItemKind::Sent(SentItem {
                bytes: bytes.to_vec(),
                text: bytes.trim_ascii_end().to_vec(),
                answers_ping: false,
                is_secret: false,
                attribution: reader.note_sent_line(bytes, Attribution::default()),
            });
            model.apply_item(SourceItem { at: Duration::ZERO, kind });
            continue;
        }
        let mut input = *bytes;
        while let Some(event) = reader.next(&mut input) {
            let kind = SourceItemKind::Event { event, snapshot: None, decoding: Duration::ZERO };
            model.apply_item(SourceItem { at: Duration::ZERO, kind });
        }
    }
    model
}

fn sent(model: &SessionModel) -> Vec<String> {
    let rows =
        model.rows.iter().filter_map(|row| if let RowContent::Sent(sent) = &row.content { Some(sent) } else { None });
    rows.map(SentLine::text_or_mask).collect()
}

#[test]
fn answers_to_a_password_prompt_are_not_stored() {
    let prompt: &[u8] = b"login: \n\rpassword: ";
    let model = session(&[
        ("tx", b"Foo\n"),
        ("rx", prompt),
        ("tx", b"\xff\xfe\x01"),
        ("tx", b"se"),
        ("tx", b"same\n"),
        ("tx", b"who\n"),
    ]);
    assert_eq!(sent(&model), ["Foo", "\u{ff}\u{fe}\u{1}", "(password)", "(password)", "who"]);
    assert!(!format!("{:?}", model.rows).contains("same"));
}

#[test]
fn after_another_prompt_a_line_is_not_a_password() {
    let model = session(&[("rx", b"password: "), ("rx", b"\n\rfics% "), ("tx", b"who\n")]);
    assert_eq!(sent(&model), ["who"]);
}
