//! Bots on the embedded server, as one of the family of ICC: all tests of `play`.

#[path = "../play/between.rs"]
mod between;
#[path = "../play/engines.rs"]
mod engines;
#[path = "../play/files.rs"]
mod files;
#[path = "../play/games.rs"]
mod games;
#[path = "../play/hostile.rs"]
mod hostile;
#[path = "../play/memory.rs"]
mod memory;
#[path = "../play/offers.rs"]
mod offers;
#[path = "../play/probe.rs"]
mod probe;
#[path = "../play/recovery.rs"]
mod recovery;
#[path = "../play/startup.rs"]
mod startup;
#[path = "../play/table.rs"]
mod table;
#[path = "../play/whom.rs"]
mod whom;
