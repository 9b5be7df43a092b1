//! Chess as far as a client needs it: boards, squares and reported moves. There is no move generator.

mod board;
mod castling;
mod fen;
mod hand;
mod last_move;
mod notation;
mod piece;

pub use board::Board;
pub use castling::{CastlingRights, CastlingSide};
pub use fen::Fen;
pub use hand::{Hand, Hands};
pub use last_move::{ApplyError, LastMove};
pub use notation::SanMove;
pub(crate) use notation::SmithMove;
pub use piece::{Color, Piece, Role, Square};
