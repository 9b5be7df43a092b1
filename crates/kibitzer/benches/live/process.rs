//! Processes: the one of the server, and what the own one uses.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// As the first argument: be the server.
pub(crate) const SERVE: &str = "--serve";

/// The server in a process of its own, until this is dropped.
pub(crate) struct Server {
    child: Child,
    /// What it said it serves at.
    pub(crate) ports: [u16; 2],
}

impl Server {
    pub(crate) fn start(n_boards: usize) -> Self {
        let program = env::current_exe().unwrap();
        let mut command = Command::new(program);
        let mut child = command.args([SERVE, &n_boards.to_string()]).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ports = [(); 2].map(|()| lines.next().unwrap().unwrap().parse().unwrap());
        Self { child, ports }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Bytes of this process that are in memory. Known on Linux only.
pub(crate) fn resident_bytes() -> Option<u64> {
    status("VmRSS:")
}

/// The most there ever were.
pub(crate) fn peak_bytes() -> Option<u64> {
    status("VmHWM:")
}

fn status(field: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kib = status.lines().find_map(|line| line.strip_prefix(field))?;
    Some(kib.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

/// Processor time of this process, the system's on its behalf included. Known on Linux only, to 10 ms.
pub(crate) fn processor_time() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // Fields 14 and 15; the name, which is field 2, may hold blanks.
    let mut fields = stat.rsplit(')').next()?.split_ascii_whitespace().skip(11);
    let ticks = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}
