//! Bytes compared sixteen at a time; of each comparison a bit a byte.
#![expect(clippy::inline_always, reason = "measured: the masks stay in registers only if inlined")]

use wide::u8x16;

/// The bits of the bytes that are blanks, the first byte's bit lowest.
#[inline(always)]
pub(crate) fn blanks(bytes: &[u8; 64]) -> u64 {
    bits(bytes, |sixteen| sixteen.simd_eq(u8x16::splat(b' ')))
}

/// The bits of the bytes that may be more than text: control characters, line ends among them, and telnet commands.
#[inline(always)]
pub(crate) fn controls(bytes: &[u8; 64]) -> u64 {
    // 255 becomes 0, and what is below a blank at most 32.
    bits(bytes, |sixteen| {
        let next = sixteen + u8x16::splat(1);
        next.min(u8x16::splat(0x20)).simd_eq(next)
    })
}

/// The bits of the bytes that are none of the letters of style 12: `-`, or one of `PNBRQK` in either case.
#[inline(always)]
pub(crate) fn not_squares(sixteen: &[u8; 16]) -> u16 {
    let bytes = u8x16::new(*sixteen);
    let small = bytes | u8x16::splat(0x20);
    let from_p = small - u8x16::splat(b'p');
    let is_square = bytes.simd_eq(u8x16::splat(b'-'))
        | from_p.min(u8x16::splat(b'r' - b'p')).simd_eq(from_p)
        | small.simd_eq(u8x16::splat(b'n'))
        | small.simd_eq(u8x16::splat(b'b'))
        | small.simd_eq(u8x16::splat(b'k'));
    !low_half(is_square)
}

#[inline(always)]
fn bits(bytes: &[u8; 64], compare: impl Fn(u8x16) -> u8x16) -> u64 {
    let (sixteens, _) = bytes.as_chunks::<16>();
    let masks = sixteens.iter().enumerate().map(|(i, sixteen)| {
        let mask = u64::from(low_half(compare(u8x16::new(*sixteen))));
        mask << (16 * i)
    });
    masks.fold(0, |all, mask| all | mask)
}

#[inline(always)]
fn low_half(comparison: u8x16) -> u16 {
    let [low, high, ..] = comparison.to_bitmask().to_le_bytes();
    u16::from_le_bytes([low, high])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte in every place.
    fn check<const N: usize>(mask: impl Fn(&[u8; N]) -> u64, want: impl Fn(u8) -> bool) {
        let other = if want(b'-') { b'+' } else { b'-' };
        for byte in 0..=u8::MAX {
            for place in 0..N {
                let mut bytes = [other; N];
                bytes[place] = byte;
                assert_eq!(mask(&bytes), u64::from(want(byte)) << place, "{byte} in place {place}");
            }
        }
    }

    #[test]
    fn a_bit_for_each_byte_that_is_meant() {
        check(blanks, |byte| byte == b' ');
        check(controls, |byte| byte < 0x20 || byte == 0xff);
        check(|sixteen| u64::from(!not_squares(sixteen)), |byte| b"-PNBRQKpnbrqk".contains(&byte));
    }
}
