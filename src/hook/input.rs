//! Lines on a hook's standard input: bounded, and read to the end whatever they say.

use std::io::{self, BufRead, BufReader, Read};

/// Longest line, in bytes without its end.
const LINE_LIMIT: usize = 1 << 20;
/// Most lines.
const LINES_LIMIT: usize = 100_000;
/// Most bytes of all lines together.
const TOTAL_LIMIT: usize = 1 << 26;
/// How much of a bad line an error repeats, in characters.
const SHOWN: usize = 200;

/// What git, or whoever stands in for it, wrote to a hook cannot be taken as a list of refs.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The pipe broke.
    #[error("standard input cannot be read: {0}")]
    Read(#[from] io::Error),
    /// A line past 1 MiB.
    #[error("line {line} of standard input is longer than {LINE_LIMIT} bytes")]
    LineTooLong {
        /// Counted from 1.
        line: usize,
    },
    /// More than 100,000 lines.
    #[error("standard input has more than {LINES_LIMIT} lines")]
    TooManyLines,
    /// More than 64 MiB in all.
    #[error("standard input is longer than {TOTAL_LIMIT} bytes")]
    TooLong,
    /// A line that is no move of a ref.
    #[error("line {line} of standard input, {text:?}: {defect}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// Its beginning. Untrusted text: escape before a terminal sees it.
        text: String,
        /// What is wrong with it.
        defect: &'static str,
    },
    /// Nothing at all, where git always hands over something.
    #[error("standard input is empty, and git never runs this hook without a ref: something took the list away")]
    Empty,
}

/// Reads every line and gives what `parse` makes of them, or the first defect.
///
/// The input is drained in either case: git would die of a broken pipe otherwise.
pub(super) fn read_lines<T>(
    input: impl Read,
    mut parse: impl FnMut(&[u8]) -> Result<T, &'static str>,
) -> Result<Vec<T>, InputError> {
    let mut input = BufReader::new(input);
    let result = collect(&mut input, &mut parse);
    match (result, io::copy(&mut input, &mut io::sink())) {
        (Ok(_), Err(err)) => Err(err.into()),
        (result, _) => result,
    }
}

fn collect<T>(
    input: &mut impl BufRead,
    parse: &mut impl FnMut(&[u8]) -> Result<T, &'static str>,
) -> Result<Vec<T>, InputError> {
    let mut found = Vec::new();
    let mut total = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        // One more than the limit for the end of the line, and one to see that there is more.
        let read = input.take(LINE_LIMIT as u64 + 2).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(found);
        }
        let number = found.len() + 1;
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        total += read;
        if text.len() > LINE_LIMIT {
            return Err(InputError::LineTooLong { line: number });
        }
        if number > LINES_LIMIT {
            return Err(InputError::TooManyLines);
        }
        if total > TOTAL_LIMIT {
            return Err(InputError::TooLong);
        }
        found.push(parse(text).map_err(|defect| InputError::Line { line: number, text: shown(text), defect })?);
    }
}

fn shown(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(SHOWN * 4)]).chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts what was read of it.
    struct Counted<'a>(&'a [u8], &'a mut usize);

    impl Read for Counted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let read = self.0.read(buffer)?;
            *self.1 += read;
            Ok(read)
        }
    }

    fn sizes(input: &[u8]) -> (Result<Vec<usize>, InputError>, usize) {
        let mut read = 0;
        let result = read_lines(Counted(input, &mut read), |line| match line {
            b"bad" => Err("it says so"),
            line => Ok(line.len()),
        });
        (result, read)
    }

    #[test]
    fn a_last_line_without_an_end_is_a_line() {
        assert_eq!(sizes(b"a\nbc").0.expect("two lines"), [1, 2]);
        assert_eq!(sizes(b"").0.expect("none"), [0usize; 0]);
    }

    #[test]
    fn a_bad_line_is_named_and_the_rest_is_drained_all_the_same() {
        let mut input = b"good\nbad\n".to_vec();
        input.extend(vec![b'x'; 300_000]);
        let (result, read) = sizes(&input);
        assert!(matches!(result, Err(InputError::Line { line: 2, defect: "it says so", .. })));
        assert_eq!(read, input.len(), "git must never meet a closed pipe");
    }

    #[test]
    fn the_longest_line_is_one_mebibyte_without_its_end() {
        let mut input = vec![b'x'; LINE_LIMIT];
        input.push(b'\n');
        assert_eq!(sizes(&input).0.expect("exactly the limit"), [LINE_LIMIT]);
        assert_eq!(sizes(&input[..LINE_LIMIT]).0.expect("without an end"), [LINE_LIMIT]);
        input.insert(0, b'x');
        let (result, read) = sizes(&input);
        assert!(matches!(result, Err(InputError::LineTooLong { line: 1 })));
        assert_eq!(read, input.len());
    }

    #[test]
    fn one_line_more_than_a_hundred_thousand_is_refused() {
        let input = b"x\n".repeat(LINES_LIMIT);
        assert_eq!(sizes(&input).0.expect("exactly the limit").len(), LINES_LIMIT);
        let (result, read) = sizes(&b"x\n".repeat(LINES_LIMIT + 5));
        assert!(matches!(result, Err(InputError::TooManyLines)));
        assert_eq!(read, 2 * (LINES_LIMIT + 5));
    }

    #[test]
    fn many_long_lines_are_refused_before_they_fill_the_memory() {
        let mut line = vec![b'x'; LINE_LIMIT];
        line.push(b'\n');
        assert!(matches!(sizes(&line.repeat(65)).0, Err(InputError::TooLong)));
    }

    #[test]
    fn an_error_repeats_only_the_beginning_of_a_line() {
        assert_eq!(shown("ö".repeat(5000).as_bytes()).chars().count(), SHOWN);
    }
}
