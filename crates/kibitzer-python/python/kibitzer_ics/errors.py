"""Exceptions of the package. All of them are an `IcsError`."""

from __future__ import annotations

__all__ = ["ConfigError", "Ended", "IcsError", "InvalidRequest", "NotConnected", "Refused", "RequestFailed", "TimedOut"]


class IcsError(Exception):
    """Base class of all exceptions of the package."""


class ConfigError(IcsError, ValueError):
    """A profile, a settings file or an argument is not valid, or a password could not be fetched."""


class _Failed(IcsError):
    def __init__(self, reason: str, text: str = "") -> None:
        super().__init__(reason, text)
        self.reason = reason
        self.text = text

    def __str__(self) -> str:
        return f"{self.reason}: {self.text}" if self.text else self.reason


class Refused(_Failed):
    """The server did not execute the command.

    `reason` is a word of the event `refused`, such as `illegal_move`; `text` is the server's line, `""` if it sent none.
    """


class NotConnected(_Failed):
    """There is no connection.

    `reason` is `not_connected` if nothing was sent, `lost` if the connection ended before the reply: the command may have
    been executed.
    """


class TimedOut(_Failed, TimeoutError):
    """The time of the request is over.

    `reason` is `expired` if it was not sent within its `expires`, `timed_out` if no reply came within the session's
    `request_timeout_ms`, `blocked` if a full lossless subscription kept the session from reading the reply.
    """


class Ended(_Failed):
    """The session is over, or could not begin.

    `reason` is `quit`, `shutdown`, `kicked`, `login`, `dial` or `lost`; `text` says why.
    """


class InvalidRequest(_Failed, ValueError):
    """The command or an argument of it cannot be sent: an invalid name, a line break, a line that is too long."""


class RequestFailed(_Failed):
    """Another failure of a request.

    `reason` is `game_over` (its game ended before it was sent), `busy` (too many requests wait), `unexpected` (the reply
    is neither an answer nor a known refusal; `text` is its first line), `listing`, `too_long`, `incomplete` or
    `unnumbered`.
    """
