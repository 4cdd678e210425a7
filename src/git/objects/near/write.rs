//! New loose objects.
//!
//! A compressor's tables are half a megabyte of memory, which costs more to touch than a small object to write, so that only larger
//! texts are compressed. The others are stored in the same format, as git does with `core.looseCompression=0`; the next `gc` packs
//! and compresses all alike.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use gix::hash::oid;
use gix::objs::Kind;
use gix::objs::encode::loose_header;
use gix::zlib::Compression;
use gix::zlib::stream::deflate;

use super::loose;

/// A note of a dozen lines is smaller.
const SMALL: usize = 16 * 1024;
/// What one stored block holds.
const BLOCK: usize = 0xffff;

/// Writes one loose object and gives its path, also where it is known: that keeps a concurrent `gc` from pruning it.
///
/// # Errors
/// When the file can't be written.
pub fn write(dir: &Path, id: &oid, kind: Kind, bytes: &[u8]) -> io::Result<PathBuf> {
    let mut content = loose_header(kind, bytes.len() as u64).to_vec();
    content.extend_from_slice(bytes);
    let stored = if is_small(kind, bytes) { store(&content) } else { compress(&content)? };
    let path = loose::path(dir, id);
    let parent = path.parent().expect("two digits are a directory");
    let mut file = match temporary(parent) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Another writer may make it first, and a `gc` may take it away again.
            fs::create_dir_all(parent)?;
            temporary(parent)?
        }
        made => made?,
    };
    file.write_all(&stored)?;
    file.persist(&path)?;
    Ok(path)
}

/// Named as git names its own, so that `git prune` sweeps up what a killed process leaves.
fn temporary(dir: &Path) -> io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut builder = tempfile::Builder::new();
    builder.prefix("tmp_obj_").permissions(fs::Permissions::from_mode(0o444));
    builder.tempfile_in(dir)
}

/// Trees and hashes do not get much smaller by compression.
fn is_small(kind: Kind, bytes: &[u8]) -> bool {
    let is_text = bytes.iter().take(64).all(|byte| byte.is_ascii() && *byte >= b'\t');
    bytes.len() <= SMALL || (bytes.len() < BLOCK && (kind == Kind::Tree || !is_text))
}

/// A zlib stream (RFC 1950) of stored blocks (RFC 1951, section 3.2.4).
fn store(content: &[u8]) -> Vec<u8> {
    let mut stream = Vec::with_capacity(content.len() + 16);
    stream.extend_from_slice(&[0x78, 0x01]);
    let mut blocks = content.chunks(BLOCK).peekable();
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        stream.push(u8::from(blocks.peek().is_none()));
        stream.extend_from_slice(&length.to_le_bytes());
        stream.extend_from_slice(&(!length).to_le_bytes());
        stream.extend_from_slice(block);
    }
    stream.extend_from_slice(&adler32(content).to_be_bytes());
    stream
}

fn compress(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = deflate::Write::new(Vec::with_capacity(content.len() / 2), Compression::BEST_SPEED);
    stream.write_all(content)?;
    stream.flush()?;
    Ok(stream.into_inner())
}

fn adler32(content: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (mut sum, mut sums) = (1_u32, 0_u32);
    // As many bytes as a sum of sums takes before it needs to be reduced.
    for part in content.chunks(5552) {
        for byte in part {
            sum += u32::from(*byte);
            sums += sum;
        }
        sum %= MODULUS;
        sums %= MODULUS;
    }
    sums << 16 | sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_one_of_rfc_1950() {
        assert_eq!(adler32(b""), 1);
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(adler32(&[0xff; 20_000]), 0x9f51_d664, "sums are reduced in time");
    }
}
