//! The task that owns the server's state.

use std::collections::HashMap;
use std::io;
use std::mem::discriminant;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{self, Instant};

use super::ActorRequest;
use super::client_task::{ClientTask, Outbox, Stream};
use crate::fault::{Fault, FaultInjector, FaultPoint, FiredFault, StateFault};
use crate::lobby::{ConnectionId, ConnectionTarget};
use crate::options::{Feature, ServerOptions};
use crate::world::World;

/// Capacity of the request queue; senders wait while it is full.
pub(super) const QUEUE_LENGTH: usize = 1024;

/// Capacity of a connection's queue of faults.
const FAULT_QUEUE_LENGTH: usize = 16;

/// Time for clients to read the last output at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// A client's outbox and queue of faults.
#[derive(Debug)]
struct Client {
    outbox: Arc<Outbox>,
    faults: mpsc::Sender<(FaultPoint, Fault)>,
}

/// The actor: owns the world, the clients, and the tasks that serve them, and executes requests.
#[derive(Debug)]
pub(super) struct ServerActor {
    world: World,
    requests: mpsc::Receiver<ActorRequest>,
    /// Cloned for the tasks of clients; weak, so that the server ends once all other senders are dropped.
    requester: mpsc::WeakSender<ActorRequest>,
    clients: HashMap<ConnectionId, Client>,
    tasks: JoinSet<()>,
    /// Senders of [`ActorRequest::Received`] for clients whose login is paused.
    paused: Vec<(ConnectionId, oneshot::Sender<()>)>,
    /// Faults of the next connection.
    next_faults: Vec<(FaultPoint, Fault)>,
    fired: broadcast::Sender<FiredFault>,
}

impl ServerActor {
    pub(super) fn new(
        options: ServerOptions,
        requests: mpsc::Receiver<ActorRequest>,
        requester: mpsc::WeakSender<ActorRequest>,
        fired: broadcast::Sender<FiredFault>,
    ) -> Self {
        let date = options.date.unwrap_or_else(SystemTime::now);
        Self {
            world: World::new(options, Instant::now().into_std(), date),
            requests,
            requester,
            clients: HashMap::new(),
            tasks: JoinSet::new(),
            paused: Vec::new(),
            next_faults: Vec::new(),
            fired,
        }
    }

    /// Runs until shutdown, or until all senders of requests are dropped.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: dropping the future drops the world and ends all connections at once.
    pub(super) async fn run(mut self) {
        while !self.world.is_over {
            let next = self.world.next_time().map(Instant::from_std);
            tokio::select! {
                request = self.requests.recv() => match request {
                    Some(request) => self.execute_request(request),
                    None => self.world.announce_shutdown(Duration::ZERO, now()),
                },
                () = time::sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => self.world.run_due_work(now()),
                Some(_) = self.tasks.join_next() => {}
            }
            self.move_output_to_outboxes();
            self.paused.retain(|&(id, _)| self.world.is_login_paused(id));
        }
        // Lets the tasks of clients end: none waits for a reply or for room in the queue any more.
        self.paused.clear();
        self.requests.close();
        let clients_ended = async { while self.tasks.join_next().await.is_some() {} };
        // Tasks that are still running are aborted with their set.
        drop(time::timeout(SHUTDOWN_TIMEOUT, clients_ended).await);
    }

    /// Executes a request, and sends its answer if it has one. Keeps the sender `done` of a client's line, which
    /// [`run`](Self::run) drops once the output is in the outbox and the login is not paused.
    fn execute_request(&mut self, request: ActorRequest) {
        match request {
            ActorRequest::Open(stream) => self.add_client(stream),
            ActorRequest::Received(id, bytes, done) => {
                self.world.receive_bytes(id, &bytes, now());
                self.paused.push((id, done));
            }
            ActorRequest::Closed(id) => {
                // Output that was queued before is still written.
                self.move_output_to_outboxes();
                if let Some(client) = self.clients.remove(&id) {
                    // The queue cannot overflow, as no bytes are added.
                    client.outbox.try_push(&[], true);
                    self.world.remove_closed_client(id, now());
                }
            }
            ActorRequest::ApplyFault(id, StateFault::Kick(reason)) => {
                self.world.kick_now_or_after_login(id, reason, now());
            }
            ActorRequest::ApplyFault(_, StateFault::Shutdown) => self.world.announce_shutdown(Duration::ZERO, now()),
            // The caller may have dropped its receiver.
            ActorRequest::Inject(target, at, fault, answer) => drop(answer.send(self.inject(&target, at, fault))),
            ActorRequest::List(answer) => drop(answer.send(self.world.client_list())),
            ActorRequest::Announce(text) => self.world.announce_to_all(&text, now()),
            ActorRequest::ShutDown(after) => self.world.announce_shutdown(after, now()),
        }
    }

    /// Adds a connection, passes the faults that were injected for the next one to it, and spawns the task that serves it. Drops
    /// the stream if the server is ending.
    fn add_client(&mut self, stream: Stream) {
        // Without a sender the server is ending.
        let Some(requests) = self.requester.upgrade() else { return };
        let id = self.world.open_connection(now());
        let outbox = Arc::new(Outbox::new(self.world.options.max_unsent_bytes));
        let (faults, later) = mpsc::channel(FAULT_QUEUE_LENGTH);
        let mut injector = FaultInjector::new(self.world.options.seed ^ id.0);
        for (at, fault) in std::mem::take(&mut self.next_faults) {
            match fault {
                Fault::Refuse(refusal) => {
                    self.world.obstruct_login(id, refusal);
                    drop(injector.inject(at, fault));
                }
                // Nothing was sent yet, so that "now" is before the first line.
                _ if at == FaultPoint::Now => injector.pending.push((at, fault)),
                _ => drop(injector.inject(at, fault)),
            }
        }
        self.clients.insert(id, Client { outbox: Arc::clone(&outbox), faults });
        let is_pipelined = !self.world.options.missing.contains(&Feature::Pipelining);
        let fired = self.fired.clone();
        let task = ClientTask { id, outbox, requests, injector, faults: later, fired, is_pipelined };
        self.tasks.spawn(task.serve(stream));
    }

    /// Stores a fault for the next connection, or passes it to the selected one, where a refusal of logins takes effect at once.
    /// Fails if the fault cannot take effect at that point, no such connection exists, or its queue of faults is full.
    fn inject(&mut self, target: &ConnectionTarget, at: FaultPoint, fault: Fault) -> io::Result<()> {
        let family = self.world.options.family;
        let points = fault.supported_points(family);
        if !points.iter().any(|point| discriminant(point) == discriminant(&at)) {
            let name = |point: &FaultPoint| match point {
                FaultPoint::After(_) => "after=N".to_owned(),
                point => point.as_ref().to_owned(),
            };
            let points: Vec<_> = points.iter().map(name).collect();
            let message = format!("this fault can take effect at these points: {}", points.join(", "));
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        if *target == ConnectionTarget::Next {
            self.next_faults.push((at, fault));
            return Ok(());
        }
        let message = "no such connection, or too many faults are queued for it";
        let no_target = || io::Error::new(io::ErrorKind::NotFound, message);
        let id = self.world.find_targeted_connection(target).ok_or_else(no_target)?;
        let client = self.clients.get(&id).ok_or_else(no_target)?;
        client.faults.try_send((at, fault)).map_err(|_| no_target())?;
        if let Fault::Refuse(refusal) = fault {
            self.world.obstruct_login(id, refusal);
        }
        Ok(())
    }

    /// Moves the output of the world into the outboxes. Disconnects clients whose outbox would exceed its limit, and removes
    /// those whose connection ends.
    fn move_output_to_outboxes(&mut self) {
        while let Some(output) = self.world.take_next_output() {
            let Some(client) = self.clients.get(&output.to) else { continue };
            if !client.outbox.try_push(&output.bytes, output.is_last) {
                client.outbox.discard();
                self.clients.remove(&output.to);
                self.world.remove_closed_client(output.to, now());
            } else if output.is_last {
                self.clients.remove(&output.to);
            }
        }
    }
}

/// Returns the time of the runtime, which a test can pause.
fn now() -> std::time::Instant {
    Instant::now().into_std()
}
