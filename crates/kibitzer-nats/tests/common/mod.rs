//! A real NATS server, and a link to it that can be cut.
//!
//! The server is the program that the variable `NATS_SERVER` names, or `nats-server` on the path. Without one a test reports that
//! it was skipped.

#![allow(
    dead_code,
    clippy::allow_attributes,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "no test file uses all of it; helpers of a test fail by panicking, and a skipped test has to say so"
)]

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// A server process with a folder of its own.
pub(crate) struct NatsServer {
    child: Child,
    folder: PathBuf,
    program: PathBuf,
    pub(crate) port: u16,
}

impl NatsServer {
    /// Starts a server on a free port, with an empty folder; `None`, with a report, if there is no program.
    pub(crate) fn start(name: &str) -> Option<Self> {
        let program = std::env::var_os("NATS_SERVER").map_or_else(|| PathBuf::from("nats-server"), PathBuf::from);
        Self::start_program(name, &program)
    }

    /// Starts another version of the server.
    pub(crate) fn start_program(name: &str, program: &Path) -> Option<Self> {
        if let Err(error) = Command::new(program).arg("--version").stdout(Stdio::null()).status() {
            assert!(std::env::var_os("NATS_SERVER").is_none(), "NATS_SERVER: {}: {error}", program.display());
            eprintln!("skipped {name}: there is no nats-server; set NATS_SERVER, as .ci/run does");
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("nats-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let (child, port) = spawn(program, &folder, -1);
        Some(Self { child, folder, program: program.to_owned(), port })
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Kills the server, as a crash of its process does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts the server again, with the same port and data.
    pub(crate) fn restart(&mut self) {
        (self.child, self.port) = spawn(&self.program, &self.folder, i32::from(self.port));
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Starts a server, and waits until it accepts connections.
fn spawn(program: &Path, folder: &Path, port: i32) -> (Child, u16) {
    let files = || fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let is_ports = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "ports");
    files().filter(is_ports).for_each(|path| fs::remove_file(path).unwrap());
    let mut command = Command::new(program);
    command
        .args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"])
        .arg(folder)
        .arg("--ports_file_dir")
        .arg(folder);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        let text = files().find(is_ports).map(|path| fs::read_to_string(path).unwrap()).unwrap_or_default();
        let address = text.split('"').find_map(|part| part.strip_prefix("nats://"));
        if let Some(port) = address.and_then(|address| address.rsplit(':').next()?.parse().ok()) {
            return (child, port);
        }
        assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none(), "the server does not start");
        thread::yield_now();
    }
}

/// A proxy of one server, whose connections can be cut.
pub(crate) struct Link {
    pub(crate) port: u16,
    state: Arc<LinkState>,
}

#[derive(Default)]
struct LinkState {
    is_closed: AtomicBool,
    connections: Mutex<Vec<TcpStream>>,
}

impl Link {
    pub(crate) fn new(server_port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(LinkState::default());
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                let server = TcpStream::connect(("127.0.0.1", server_port));
                let Ok(server) = server else { continue };
                if shared.is_closed.load(Ordering::SeqCst) {
                    continue;
                }
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    thread::spawn(move || {
                        let _ = io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
                shared.connections.lock().unwrap().extend([client, server]);
            }
        });
        Self { port, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Cuts all connections at once, with bytes under way; new ones are accepted.
    pub(crate) fn cut(&self) {
        for connection in self.state.connections.lock().unwrap().drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
    }

    /// Cuts all connections and closes new ones until [`open`](Self::open).
    pub(crate) fn close(&self) {
        self.state.is_closed.store(true, Ordering::SeqCst);
        self.cut();
    }

    pub(crate) fn open(&self) {
        self.state.is_closed.store(false, Ordering::SeqCst);
    }
}

/// Starts a server that sends these bytes to each client. Returns its port.
pub(crate) fn garbage_server(bytes: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            thread::spawn(move || {
                let _ = client.write_all(bytes);
                let _ = client.read_to_end(&mut Vec::new());
            });
        }
    });
    port
}
