//! Sessions over WebSocket, with and without TLS: a client at the embedded server, at scripted servers, and through another project's
//! proxy.

mod certificates;
mod proxy;
mod refused;
mod relay;
mod session;
