//! Engines that behave well and badly, as scripts of the POSIX shell in real processes.
#![cfg(unix)]

mod cecp;
mod script;
mod uci;
