//! Comparison of bytes with vector instructions, sixteen at a time. The results are bit masks.
#![expect(clippy::inline_always, reason = "measured: the masks stay in registers only if inlined")]

use wide::u8x16;

/// Returns a mask of the bytes that are equal to `byte`; the lowest bit is the first byte.
#[inline(always)]
pub(crate) fn mask_of_byte(bytes: &[u8; 64], byte: u8) -> u64 {
    mask_where(bytes, |sixteen| sixteen.simd_eq(u8x16::splat(byte)))
}

/// Returns a mask of the control characters below 0x20, including line ends, and of 255, which starts a telnet command. The
/// lowest bit is the first byte.
#[inline(always)]
pub(crate) fn mask_of_controls_and_iac(bytes: &[u8; 64]) -> u64 {
    // 255 becomes 0, and bytes below a blank become at most 32.
    mask_where(bytes, |sixteen| {
        let next = sixteen + u8x16::splat(1);
        next.min(u8x16::splat(0x20)).simd_eq(next)
    })
}

/// Returns whether every byte equals the byte at the same index of `template`. Where the template has a 0, any square of style 12
/// matches instead: `-`, or one of `PNBRQK` in either case.
#[inline(always)]
pub(crate) fn matches_board_template<const N: usize>(bytes: &[[u8; 16]; N], template: &[[u8; 16]; N]) -> bool {
    let strange = bytes.iter().zip(template).fold(u8x16::ZERO, |strange, (bytes, template)| {
        let (bytes, template) = (u8x16::new(*bytes), u8x16::new(*template));
        let is_square = template.simd_eq(u8x16::ZERO);
        strange | (is_square & !mask_of_square_letters(bytes)) | (!is_square & (bytes ^ template))
    });
    lane_bits(strange.simd_eq(u8x16::ZERO)) == u16::MAX
}

/// Returns 0xFF in the place of each byte that is `-` or a piece letter in either case, and 0 for others.
#[inline(always)]
fn mask_of_square_letters(bytes: u8x16) -> u8x16 {
    let small = bytes | u8x16::splat(0x20);
    let from_p = small - u8x16::splat(b'p');
    bytes.simd_eq(u8x16::splat(b'-'))
        | from_p.min(u8x16::splat(b'r' - b'p')).simd_eq(from_p)
        | small.simd_eq(u8x16::splat(b'n'))
        | small.simd_eq(u8x16::splat(b'b'))
        | small.simd_eq(u8x16::splat(b'k'))
}

/// Returns a mask of the bytes for which `compare` returns 0xFF; the lowest bit is the first byte.
#[inline(always)]
fn mask_where(bytes: &[u8; 64], compare: impl Fn(u8x16) -> u8x16) -> u64 {
    let (sixteens, _) = bytes.as_chunks::<16>();
    let masks = sixteens.iter().enumerate().map(|(i, sixteen)| {
        let mask = u64::from(lane_bits(compare(u8x16::new(*sixteen))));
        mask << (16 * i)
    });
    masks.fold(0, |all, mask| all | mask)
}

/// Returns one bit for each of the sixteen bytes of a comparison result; the lowest bit is the first byte.
#[inline(always)]
fn lane_bits(comparison: u8x16) -> u16 {
    let [low, high, ..] = comparison.to_bitmask().to_le_bytes();
    u16::from_le_bytes([low, high])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a mask with every byte in every place.
    fn check(mask: impl Fn(&[u8; 64]) -> u64, want: impl Fn(u8) -> bool) {
        for byte in 0..=u8::MAX {
            for place in 0..64 {
                let mut bytes = [b'-'; 64];
                bytes[place] = byte;
                assert_eq!(mask(&bytes), u64::from(want(byte)) << place, "{byte} in place {place}");
            }
        }
    }

    #[test]
    fn masks_have_one_bit_for_each_matching_byte() {
        check(|bytes| mask_of_byte(bytes, b' '), |byte| byte == b' ');
        check(mask_of_controls_and_iac, |byte| byte < 0x20 || byte == 0xff);
    }

    #[test]
    fn a_board_fits_with_piece_letters_at_zeros_and_equal_bytes_elsewhere() {
        let form = [*b"a\0\0 \0\0\0\0\0\0\0\0\0\0\0\0"];
        for byte in 0..=u8::MAX {
            for place in 0..16 {
                let mut bytes = [*b"a-P PNBRQKpnbrqk"];
                bytes[0][place] = byte;
                let fits = match form[0][place] {
                    0 => b"-PNBRQKpnbrqk".contains(&byte),
                    fixed => byte == fixed,
                };
                assert_eq!(matches_board_template(&bytes, &form), fits, "{byte} in place {place}");
            }
        }
    }
}
