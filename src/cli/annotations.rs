//! ANNOTATIONS: what GitHub shows beside a run, as the workflow commands that its runner reads off standard output.
//!
//! The runner reads commands off any line that begins with one, so that the text for people is printed where it was told to read none.

use super::error::CliError;
use super::exit::Exit;
use super::out::Out;
use super::report::{Json, Report};
use crate::app::context::nonce;
use crate::app::verify::Verified;

/// An answer for people, with annotations behind it.
pub(super) struct Annotated<'a, A> {
    answer: &'a A,
    token: String,
}

impl<'a, A: Report + AsRef<Verified>> Annotated<'a, A> {
    /// # Errors
    /// Where the operating system has no randomness: the word that ends what the runner does not read must not be known before.
    pub(super) fn new(answer: &'a A) -> Result<Self, CliError> {
        Ok(Annotated { answer, token: nonce()? })
    }
}

impl<A: Report + AsRef<Verified>> Report for Annotated<'_, A> {
    fn human(&self, out: &mut Out) {
        out.line(format!("::stop-commands::{}", self.token));
        self.answer.human(out);
        out.line(format!("::{}::", self.token));
        let verified = self.answer.as_ref();
        for reason in &verified.reasons {
            out.line(command("error", reason.code.name(), &reason.text));
        }
        for gap in &verified.gaps {
            out.line(command("warning", "not judged", gap));
        }
    }

    fn json(&self) -> Json {
        self.answer.json()
    }

    fn exit(&self) -> Exit {
        self.answer.exit()
    }
}

fn command(kind: &str, title: &str, text: &str) -> String {
    format!("::{kind} title={}::{}", property(&format!("git boundary: {title}")), data(text))
}

/// The text of a command: the runner takes back exactly these.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of one, which further ends at a colon or comma.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn what_would_end_a_command_or_a_property_is_escaped_and_a_percent_sign_first() {
        let line = command("error", "a:b,c", "50%\r\nof a:b,c");
        assert_eq!(line, "::error title=git boundary%3A a%3Ab%2Cc::50%25%0D%0Aof a:b,c");
        assert_eq!(
            command("error", "%3A", "%0A::error::x").matches("%25").count(),
            2,
            "nothing is taken for an escape"
        );
    }
}
