//! Panics while the console has the terminal.
//!
//! One of the thread that draws ends the console, so the terminal is given back before its message is printed. One of
//! another thread would print over the screen, and the screen over it: its message waits until the screen is gone.

use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>;

/// Hears of panics on other threads than the one that draws.
#[derive(Clone, Debug, Default)]
pub(super) struct PanicCapture {
    /// What the first one says, in one line.
    heard: Arc<Mutex<Option<String>>>,
}

impl PanicCapture {
    /// Begins to listen, for good. What was to happen at a panic so far happens on this thread only.
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

    /// What was heard, once.
    pub(super) fn take(&self) -> Option<String> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
