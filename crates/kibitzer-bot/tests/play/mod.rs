//! Bots on the embedded server.

mod between;
mod challenges;
mod engines;
mod files;
mod games;
mod hostile;
mod memory;
mod offers;
mod probe;
mod recovery;
mod results;
mod startup;
mod table;
mod talk;
mod whom;
