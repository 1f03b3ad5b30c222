//! Memory in large pages.

/// Asks the system to back memory that was not yet written to by pages of 2 MiB instead of 4 KiB, if
/// it can. Of these a processor knows by heart where they are, while of small ones it has to look it
/// up for nearly every access to a large table.
#[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "no way to do it"))]
pub(super) fn prefer_huge_pages<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        /// Advice is taken only for whole pages.
        const PAGE: usize = 4096;
        let start = memory.as_mut_ptr().cast::<u8>();
        let inside = start.align_offset(PAGE);
        let Some(length) = size_of_val(memory).checked_sub(inside) else { return };
        #[expect(unsafe_code, reason = "there is no safe way")]
        // SAFETY: the range is part of `memory`, and the advice has no effect on its contents.
        let result = unsafe {
            rustix::mm::madvise(
                start.add(inside).cast(),
                length / PAGE * PAGE,
                rustix::mm::Advice::LinuxHugepage,
            )
        };
        if let Err(error) = result {
            log::debug!("no huge pages: {error}");
        }
    }
}
