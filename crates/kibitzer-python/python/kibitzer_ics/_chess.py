"""Boards of python-chess. The package `chess` is imported here only, when the first board is made."""

from __future__ import annotations

import chess
import chess.variant

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
