//! Suspends the process, and notices that it was continued.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGTSTP};
use signal_hook::flag::register;
use signal_hook::low_level::{emulate_default_handler, unregister};

/// Handlers of the signals of job control.
#[derive(Debug)]
pub(super) struct Suspension {
    stop_requested: Arc<AtomicBool>,
    /// Also set after SIGSTOP, which has no handler.
    continued: Arc<AtomicBool>,
    signals: [SigId; 2],
}

impl Suspension {
    pub(super) fn begin() -> io::Result<Self> {
        let (stop_requested, continued) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let signals = [register(SIGTSTP, Arc::clone(&stop_requested))?, register(SIGCONT, Arc::clone(&continued))?];
        Ok(Self { stop_requested, continued, signals })
    }

    /// Returns whether SIGTSTP arrived since the last call.
    pub(super) fn is_requested(&self) -> bool {
        self.stop_requested.swap(false, Ordering::Relaxed)
    }

    /// Stops the process. Returns once it is continued.
    pub(super) fn suspend(&self) -> io::Result<()> {
        emulate_default_handler(SIGTSTP)?;
        // The handler of SIGCONT may run on another thread, a moment later.
        self.continued.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Returns whether the process was continued since the last call.
    pub(super) fn was_continued(&self) -> bool {
        self.continued.swap(false, Ordering::Relaxed)
    }
}

impl Drop for Suspension {
    fn drop(&mut self) {
        for signal in self.signals {
            unregister(signal);
        }
    }
}
