//! Chess as far as a client needs it: boards, squares and reported moves. There is no move generator.

mod apply;
mod board;
mod castling;
mod color;
mod fen;
mod hand;
mod last_move;
mod role;
mod san;
mod smith;
mod square;
mod uci;

pub use apply::ApplyError;
pub use board::Board;
pub use castling::{CastlingRights, CastlingSide};
pub use color::Color;
pub use fen::Fen;
pub use hand::{Hand, Hands};
pub use last_move::LastMove;
pub use role::{Piece, Role};
pub use san::SanMove;
pub(crate) use smith::SmithMove;
pub use square::Square;
