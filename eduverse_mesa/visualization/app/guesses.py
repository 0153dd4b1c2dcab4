"""Wrong tokens: an address that shows them is answered later and later, one after the other."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio

FREE = 5
"""Wrong tokens of one address that are answered at once."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds. Each wrong token doubles the wait."""
FORGOTTEN = 600.0
"""Seconds without a wrong one after which the next is the first again."""
_IN_LINE = 4
"""Tries of one address that wait for their answer."""
_ADDRESSES = 10_000
"""Addresses that are remembered; whose last try was longest ago is forgotten first."""


@dataclass(slots=True)
class _Address:
    """What an address has tried."""

    wrong: int = 0
    last: float = 0.0
    in_line: int = 0
    turn: anyio.Lock = field(default_factory=anyio.Lock)

    def wait(self) -> float:
        if self.wrong < FREE or time.monotonic() - self.last > FORGOTTEN:
            return 0.0
        return min(FIRST_WAIT * 2.0 ** min(self.wrong - FREE, 20), LONGEST_WAIT)


class Guesses:
    """The tries of all addresses. Nobody is locked out: the right token from elsewhere is looked at without delay, and
    from the same address in its turn."""

    def __init__(self) -> None:
        self._addresses: OrderedDict[str, _Address] = OrderedDict()

    async def look(self, address: str, is_right: Callable[[], bool], is_gone: Callable[[], Awaitable[bool]]) -> bool:
        """Whether a token is right, when it is this try's turn; TooManyGuessesError where too many wait already.
        `is_gone`: whether nobody waits for the answer any more."""
        one = self._of(address)
        if one.in_line >= _IN_LINE:
            raise TooManyGuessesError
        one.in_line += 1
        try:
            async with one.turn:
                if await is_gone():
                    return False
                await anyio.sleep(one.wait())
                if is_right():
                    return True
                one.wrong = 1 if time.monotonic() - one.last > FORGOTTEN else one.wrong + 1
                one.last = time.monotonic()
                return False
        finally:
            one.in_line -= 1

    def _of(self, address: str) -> _Address:
        one = self._addresses.setdefault(address, _Address())
        self._addresses.move_to_end(address)
        if len(self._addresses) > _ADDRESSES:
            self._addresses.popitem(last=False)
        return one


class TooManyGuessesError(Exception):
    """So many tries of an address wait for their answer that another is not looked at."""
