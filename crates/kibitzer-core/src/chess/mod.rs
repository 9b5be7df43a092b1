//! Chess as far as a client needs it: boards, squares, moves as reported. No rules, no move generator.

mod board;
mod castling;
mod color;
mod fen;
mod hand;
mod last_move;
mod role;
mod square;
