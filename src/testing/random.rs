//! Random numbers that are the same in every run.

/// xorshift64* (Vigna, <https://arxiv.org/abs/1402.6246>).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Less than `bound`.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// So many bytes, none of them zero.
    pub(super) fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        for piece in bytes.chunks_mut(8) {
            let random = (self.next() | 0x0101_0101_0101_0101).to_le_bytes();
            if let Some(random) = random.get(..piece.len()) {
                piece.copy_from_slice(random);
            }
        }
        bytes
    }
}
