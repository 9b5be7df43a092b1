//! Secrets in the commands of a live connection and in their replies.

use crate::event::RequestError;
use crate::scan::find;
use crate::session::command::Command;
use crate::session::context::Context;
use crate::session::options::credentials::Password;
use crate::session::reply::Reply;
use crate::session::secret::{Secret, mask_secrets_in_line};
use crate::text::{ServerText, encode_ascii};

/// Learns aliases for secret commands, and the new password of the account, from the reply to a command. Removes the command's
/// secrets from the text of a refusal, because errors are logged.
pub(super) fn learn_and_redact_secrets(command: &Command, result: &mut Result<Reply, RequestError>, cx: &mut Context) {
    let secrets = cx.outbox.detector.secrets(command.as_str());
    match result {
        Ok(reply) => {
            // Both families list aliases in this form.
            let listed = reply.lines().filter(|_| command.verb().starts_with("al"));
            for (name, value) in listed.filter_map(|line| str::from_utf8(line).ok()?.split_once(" -> ")) {
                cx.outbox.detector.learn_alias(&format!("alias {name} {value}"));
            }
            if reply.answers().any(|answer| confirms_password_change(answer.raw()))
                && let Some(new) = secrets.last()
            {
                cx.memory.new_password = Password::new(*new).ok();
            }
        }
        Err(RequestError::Refused { text, .. }) if !secrets.is_empty() => {
            let secrets: Vec<_> = secrets.iter().filter_map(|word| Secret::new(word.as_bytes())).collect();
            let mut line = encode_ascii(text.as_str()).into_owned().into_bytes();
            mask_secrets_in_line(&secrets.iter(), &mut line);
            *text = ServerText::from_wire(&line);
        }
        Err(_) => {}
    }
}

/// Returns whether a line reports a new password: `Password changed to "perch".`
///
/// Source: uhlin-fics, FatICS. The wording of ICC is not known.
fn confirms_password_change(line: &[u8]) -> bool {
    let line = line.to_ascii_lowercase();
    line.starts_with(b"password changed") || find(&line, b"password has been changed").is_some()
}
