//! Counts how long compressed data is when it is unpacked, without keeping what is unpacked: DEFLATE and LZW as in PDF.
//! A file of a megabyte can unpack to gigabytes. Called by [`super::pdf_size`].

use std::io::{self, Write};

use flate2::read::DeflateDecoder;
use weezl::BitOrder;
use weezl::decode::Decoder;

/// Returns the length of DEFLATE data, up to the first error in it. It stops soon after more than `limit`.
pub(super) fn of_deflate(bytes: &[u8], limit: usize) -> usize {
    let mut counter = Counter { length: 0, limit };
    // An error ends the data, as it does for the crate that reads it.
    let _ = io::copy(&mut DeflateDecoder::new(bytes), &mut counter);
    counter.length
}

/// Returns the length of LZW data, up to the first error in it. It stops soon after more than `limit`. Of the two ways
/// in which codes grow, the one that gives more counts.
pub(super) fn of_lzw(bytes: &[u8], limit: usize) -> usize {
    const LITERAL_BITS: u8 = 8;
    let length = |mut decoder: Decoder| {
        let mut counter = Counter { length: 0, limit };
        let _ = decoder.into_stream(&mut counter).decode_all(bytes).status;
        counter.length
    };
    let early = length(Decoder::with_tiff_size_switch(BitOrder::Msb, LITERAL_BITS));
    early.max(length(Decoder::new(BitOrder::Msb, LITERAL_BITS)))
}

/// Counts what is written, and refuses more than a limit.
struct Counter {
    length: usize,
    limit: usize,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.length += bytes.len();
        if self.length > self.limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use pdf_extract::{Dictionary, Stream};

    use super::*;

    /// Returns the bytes as zlib packs them, without its header.
    fn packed(bytes: Vec<u8>) -> Vec<u8> {
        let mut stream = Stream::new(Dictionary::new(), bytes);
        stream.compress().unwrap();
        assert!(stream.is_compressed());
        stream.content.split_off(2)
    }

    #[test]
    fn the_length_is_that_of_the_unpacked_data() {
        let text = include_str!("unpacked_length.rs").repeat(9);
        // Bytes of which most cannot be packed.
        let mut seed = 7_u32;
        let mut noise = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed.to_be_bytes()[0]
        };
        let mixed: Vec<u8> = (0..90_000).map(|at| if at % 30_000 < 20_000 { noise() } else { b'q' }).collect();
        for bytes in [b"a".repeat(50), vec![0; 300_000], text.into_bytes(), mixed] {
            let length = bytes.len();
            assert_eq!(of_deflate(&packed(bytes), usize::MAX), length);
        }
    }

    #[test]
    fn counting_stops_beyond_the_limit_and_at_an_error() {
        let bomb = packed(vec![0; 3_000_000]);
        let counted = of_deflate(&bomb, 1_000);
        assert!(counted > 1_000 && counted < 100_000, "{counted}");
        assert!(of_deflate(&bomb[..bomb.len() / 2], usize::MAX) < 3_000_000);
        let no_deflate: [&[u8]; 3] = [&[], &[0xff; 40], b"q 1 0 0 1 72 720 cm BT /F1 12 Tf ET"];
        for bytes in no_deflate {
            assert!(of_deflate(bytes, 1_000_000) < 10_000);
        }
    }

    #[test]
    fn lzw_is_counted() {
        // The example of the PDF standard: 45 45 45 45 45 65 45 45 45 66.
        let example = [0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01];
        assert_eq!(of_lzw(&example, usize::MAX), 10);
        assert!(of_lzw(&[], 9) == 0 && of_lzw(&[0xff; 9], 9) == 0);
    }
}
