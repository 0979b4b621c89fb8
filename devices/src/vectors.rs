//! Lists on the host whose length a caller chooses: where there is no memory for them, that is an error and not the end of the
//! process.

use crate::{Device, Error, Result};

/// Room for `more` elements behind those of `list`.
///
/// # Errors
/// [`Error::OutOfMemory`] of the CPU.
pub fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<()> {
    list.try_reserve(more).map_err(|_| {
        let bytes = more.saturating_mul(size_of::<T>());
        Error::out_of_memory(Device::cpu(), bytes, 0)
    })
}

/// A list of `len` copies of `value`.
///
/// # Errors
/// [`Error::OutOfMemory`] of the CPU.
pub fn filled<T: Copy>(len: usize, value: T) -> Result<Vec<T>> {
    let mut list = Vec::new();
    reserve(&mut list, len)?;
    list.resize(len, value);
    Ok(list)
}

/// The first `len` elements of `items`.
///
/// # Errors
/// [`Error::OutOfMemory`] of the CPU.
pub fn collected<T>(len: usize, items: impl IntoIterator<Item = T>) -> Result<Vec<T>> {
    let mut list = Vec::new();
    reserve(&mut list, len)?;
    list.extend(items.into_iter().take(len));
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retry::OutOfMemory;

    #[test]
    fn what_has_no_room_is_an_error_that_says_how_much_was_wanted() -> Result<()> {
        assert_eq!(filled(3, 7_u16)?, [7; 3]);
        assert_eq!(collected(2, 5..9)?, [5, 6]);
        let mut list = vec![1_u8];
        reserve(&mut list, 100)?;
        assert!(list.capacity() > 100 && list == [1]);
        for len in [1 << 50, usize::MAX] {
            let refused = filled(len, 0_u64).err().and_then(|error| error.shortage());
            let bytes = refused.and_then(|shortage| shortage.bytes);
            assert_eq!(bytes, Some(len.saturating_mul(8)));
            assert!(collected(len, std::iter::repeat(0_u64)).is_err());
        }
        Ok(())
    }
}
