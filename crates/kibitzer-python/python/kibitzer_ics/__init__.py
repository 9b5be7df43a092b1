"""A client for internet chess servers (FICS, ICC), asyncio first."""

import atexit as _atexit

from . import _native, answers, bot, client, errors, events, recordings, server, sync
from .answers import *
from .bot import *
from .client import *
from .errors import *
from .events import *
from .recordings import *
from .server import *

__all__ = [
    *answers.__all__,
    *bot.__all__,
    *client.__all__,
    *errors.__all__,
    *events.__all__,
    *recordings.__all__,
    *server.__all__,
    "sync",
]

_atexit.register(_native.end_runtime)
