//! Fetching memory before it is needed.

/// Asks the processor to bring what is referred to into its caches, and does not wait for it.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "no way to do it"))]
pub(super) fn prefetch<T>(target: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        use core::ptr::from_ref;

        #[expect(unsafe_code, reason = "there is no safe way")]
        // SAFETY: the instruction is part of SSE, which all such processors have, and has no effect
        // on memory, whatever the address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(from_ref(target).cast());
        }
    }
}
