//! Where terminals have no termios, a password is seen as it is typed.

#[derive(Debug)]
pub(super) struct Echo;

impl Echo {
    pub(super) const fn of_stdin() -> Self {
        Self
    }

    pub(super) const fn hide(&mut self) {}

    pub(super) const fn show(&mut self) {}
}
