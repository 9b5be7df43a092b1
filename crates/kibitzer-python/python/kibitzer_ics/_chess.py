"""Boards of python-chess. The package `chess` (GPL-3) is imported here only, when the first board is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
import chess.variant

if TYPE_CHECKING:
    from .events import Position

_KINDS: dict[str, type[chess.Board]] = {
    "atomic": chess.variant.AtomicBoard,
    "bughouse": chess.variant.CrazyhouseBoard,
    "crazyhouse": chess.variant.CrazyhouseBoard,
    "giveaway": chess.variant.GiveawayBoard,
    "suicide": chess.variant.SuicideBoard,
}


def board_of(variant: str | None, fen: str | None) -> chess.Board:
    """Returns the board of a position, or of the usual start if `fen` is `None`, in a variant by its UCI name."""
    board = _KINDS.get(variant or "", chess.Board)(None, chess960=variant == "chess960")
    board.reset() if fen is None else board.set_fen(fen)
    return board


def board_of_position(position: Position, variant: str | None) -> chess.Board:
    """Returns the board of an event; see `Position.board`."""
    variant = variant or position.variant or ("crazyhouse" if position.white_reserve is not None else None)
    fen = position.fen
    if variant in ("bughouse", "crazyhouse"):
        placement, _, rest = fen.partition(" ")
        fen = f"{placement}[{position.white_reserve or ''}{(position.black_reserve or '').lower()}] {rest}"
    return board_of(variant, fen)
