//! What a device's pool holds, as the driver counts it.

use cudarc::driver::sys::{self, CUmemPool_attribute};

use super::context::Context;
use super::library;
use crate::{Figures, Result};

/// `None` without a pool, and where the driver cannot tell.
///
/// The driver maps free pages of a pool together, so one allocation can have all that is cached.
pub(super) fn of(context: &Context) -> Result<Option<Figures>> {
    use CUmemPool_attribute::{
        CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
        CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
    };
    let Some(pool) = context.pool.filter(|_| library::has("cuMemPoolGetAttribute")) else {
        return Ok(None);
    };
    let number = |attribute| {
        let mut bytes = 0_u64;
        // SAFETY: the pool is ours; these attributes are 64-bit numbers, written during the call only.
        let asked = unsafe { sys::cuMemPoolGetAttribute(pool, attribute, (&raw mut bytes).cast()) };
        context.check("cuMemPoolGetAttribute", asked).map(|()| bytes as usize)
    };
    let reserved = number(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
    let cached = reserved.saturating_sub(number(CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?);
    Ok(Some(Figures {
        reserved,
        peak_reserved: number(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH)?,
        cached,
        largest_free: cached,
        ..Figures::default()
    }))
}
