//! Capture of panics on other threads while the console owns the terminal.
//!
//! A panic of the drawing thread restores the terminal before its message is printed. A message of another thread would be
//! overwritten by the screen; it is stored until the screen is closed.

use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>;

/// Stores the first panic of any thread but the drawing one.
#[derive(Clone, Debug, Default)]
pub(super) struct PanicCapture {
    /// Message of the first panic, on one line.
    heard: Arc<Mutex<Option<String>>>,
}

impl PanicCapture {
    /// Replaces the panic hook permanently. The previous hook still runs for panics on this thread.
    pub(super) fn begin() -> Self {
        let (alarm, drawing, otherwise) = (Self::default(), thread::current().id(), take_hook());
        let ours = alarm.clone();
        set_hook(Box::new(move |info| ours.hear(info, thread::current().id() == drawing, &otherwise)));
        alarm
    }

    fn hear(&self, info: &PanicHookInfo<'_>, is_drawing: bool, otherwise: &Hook) {
        if is_drawing {
            return otherwise(info);
        }
        let told = info.to_string().replace('\n', " ");
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(told);
    }

    /// Removes and returns the stored message.
    pub(super) fn take(&self) -> Option<String> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
