//! Suspends the process, and notices that it was continued.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGTSTP};
use signal_hook::flag::register;
use signal_hook::low_level::{emulate_default_handler, unregister};

/// Handlers of the signals SIGTSTP and SIGCONT, removed on drop.
#[derive(Debug)]
pub(super) struct Suspension {
    /// Whether SIGTSTP has arrived.
    stop_requested: Arc<AtomicBool>,
    /// Whether SIGCONT has arrived; also after SIGSTOP, which has no handler.
    continued: Arc<AtomicBool>,
    _handlers: SignalHandlers,
}

impl Suspension {
    /// Installs the handlers of SIGTSTP and SIGCONT, which the drop removes.
    pub(super) fn install_handlers() -> io::Result<Self> {
        let (stop_requested, continued) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let handlers = [register(SIGTSTP, Arc::clone(&stop_requested))?, register(SIGCONT, Arc::clone(&continued))?];
        Ok(Self { stop_requested, continued, _handlers: SignalHandlers(handlers.to_vec()) })
    }

    /// Returns whether SIGTSTP has arrived since the last call.
    pub(super) fn take_request(&self) -> bool {
        self.stop_requested.swap(false, Ordering::Relaxed)
    }

    /// Stops the process, without restoring the terminal. Returns once it is continued.
    pub(super) fn suspend_process(&self) -> io::Result<()> {
        emulate_default_handler(SIGTSTP)?;
        // The handler of SIGCONT may run on another thread, a moment later.
        self.continued.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Returns whether the process was continued since the last call.
    pub(super) fn take_continuation(&self) -> bool {
        self.continued.swap(false, Ordering::Relaxed)
    }
}

/// Handlers of signals, removed on drop.
#[derive(Debug)]
pub(super) struct SignalHandlers(pub(super) Vec<SigId>);

impl Drop for SignalHandlers {
    fn drop(&mut self) {
        for handler in self.0.drain(..) {
            unregister(handler);
        }
    }
}
