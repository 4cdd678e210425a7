//! A block goes into a script and comes out of it again; nothing else changes.

use std::ops::Range;

use super::shim::lines;

/// The script with the block behind its first line, when that names an interpreter, else at its very top.
pub(super) fn insert(script: &[u8], block: &[u8]) -> Vec<u8> {
    let (head, rest) = script.split_at(top(script));
    if !head.is_empty() && !head.ends_with(b"\n") {
        // Nothing but an unfinished first line: removal sees that the block is unfinished, too.
        return [head, b"\n", block].concat();
    }
    [head, block, b"\n", rest].concat()
}

/// The script as it was before.
pub(super) fn remove(script: &[u8], block: &Range<usize>) -> Vec<u8> {
    let (mut start, mut end) = (block.start, block.end);
    if script.get(end) == Some(&b'\n') {
        end += 1;
    } else {
        start = start.saturating_sub(1);
    }
    [&script[..start], &script[end..]].concat()
}

/// Whether anything could run, and read git's list, before this offset.
pub(super) fn runs_before(script: &[u8], offset: usize) -> bool {
    lines(&script[..offset]).any(|(_, line)| {
        let line = line.trim_ascii();
        !line.is_empty() && !line.starts_with(b"#")
    })
}

fn top(script: &[u8]) -> usize {
    match script.starts_with(b"#!") {
        true => script.iter().position(|byte| *byte == b'\n').map_or(script.len(), |at| at + 1),
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removal_is_the_exact_inverse_of_insertion() {
        let scripts: [&[u8]; 9] = [
            b"#!/bin/sh\necho hi\n",
            b"#!/bin/sh\necho hi",
            b"#!/bin/sh\n",
            b"#!/bin/sh",
            b"#!/bin/sh\r\necho hi\r\n",
            b"echo no interpreter\n",
            b"",
            b"\n",
            b"#!/bin/sh\n\n\n",
        ];
        for script in scripts {
            let with = insert(script, b"# block\n# end");
            let at = with.windows(7).position(|part| part == b"# block").expect("it is in there");
            assert!(!runs_before(&with, at), "a block stands before everything that runs");
            assert_eq!(remove(&with, &(at..at + 13)), script, "{:?}", String::from_utf8_lossy(&with));
        }
    }

    #[test]
    fn only_code_counts_as_running_before() {
        assert!(!runs_before(b"#!/bin/sh\n\n  # a comment\nblock", 24));
        assert!(runs_before(b"#!/bin/sh\nexit 0\nblock", 17));
    }
}
