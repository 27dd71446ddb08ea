"""What was said, for searches, from Redis.

A session that is searched, or was written by a store that searches, has under its hash tag:

- ``search``: a hash of an ``epoch``, which is new with the key, how many ``changes`` took something
  away or brought it back since, the ``model`` of the vectors, and the ``floor``: the newest place
  (see ``redis_snapshots``) of a trimmed message;
- ``vectors``: a hash by place, in base64, because a client may decode all that it gets as text;
- ``trimmed``: a hash by id of trimmed messages that are still to be found: the place, the body.

They end with the session.
"""

import base64
import os
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from goldfish.stores.redis.parts import ASCII
from goldfish.stores.redis.scripts import ADD, Evaluate, full
from goldfish.stores.retrieval.embedder import mismatch_error
from goldfish.stores.search.backend import Embedded, Known, Reading, Readings, Row

_NOTE = """
local function note(epoch, model)
  local stored = call('HGET', SEARCH, 'model')
  if stored and model and stored ~= model then return stored end
  if call('HSETNX', SEARCH, 'epoch', epoch) == 1 then call('HSET', SEARCH, 'changes', 0) end
  if model then call('HSET', SEARCH, 'model', model) end
end

local function present()
  return call('HGET', SEARCH, 'epoch') .. '.' .. call('HGET', SEARCH, 'changes')
end
"""

# ARGV: what an append has, then all vectors, how many, an epoch and the model.
# Another model whose vectors are there, or nothing.
_APPEND = full(f"""
{_NOTE}
local model, epoch, many = table.remove(ARGV), table.remove(ARGV), tonumber(table.remove(ARGV))
local other = note(epoch, model)
if other then return other end
local vectors = {{}}
for i = many, 1, -1 do vectors[i] = table.remove(ARGV) end
{ADD}
for i = 1, count do
  local place = tonumber(call('ZSCORE', IDS, ARGV[1 + i]))
  if place == base + i then call('HSET', VECTORS, field(place), vectors[i]) end
end
""")

# ARGV: the epoch and the newest place that are known, and an epoch in case there is none.
# Epoch, newest place, after which place the rest follows, model; then place, id, body, vectors.
_READ = full(f"""
{_NOTE}
{ASCII}
if call('LLEN', LOG) == 0 and call('EXISTS', TRIMMED) == 0 then return {{}} end
note(ARGV[3])
local epoch = present()
local last = tonumber(call('ZREVRANGE', IDS, 0, 0, 'WITHSCORES')[2] or nil) or -1
local low = tonumber(call('HGET', SEARCH, 'floor') or nil) or -1
local newest = math.max(last, low)
local since = epoch == ARGV[1] and tonumber(ARGV[2]) or -1
local answer = {{epoch, newest, since, call('HGET', SEARCH, 'model')}}
if since == newest then return answer end

local said = ranked(call('ZCOUNT', IDS, '-inf', since), -1)
if low > since then
  local trimmed = call('HGETALL', TRIMMED)
  for i = 1, #trimmed, 2 do
    local colon = string.find(trimmed[i + 1], ':', 1, true)
    local place = tonumber(string.sub(trimmed[i + 1], 1, colon - 1))
    if place > since then
      said[#said + 1] = {{place, trimmed[i], string.sub(trimmed[i + 1], colon + 1)}}
    end
  end
end
for first = 1, #said, 1000 do
  local places = {{}}
  for i = first, math.min(first + 999, #said) do places[#places + 1] = field(said[i][1]) end
  for i, vectors in ipairs(call('HMGET', VECTORS, unpack(places))) do
    local message = said[first + i - 1]
    answer[#answer + 1], answer[#answer + 2] = message[1], ascii(message[2])
    answer[#answer + 1], answer[#answer + 2] = message[3], vectors
  end
end
return answer
""")

# ARGV: the epoch, the model, then places and vectors in turn. Another model, or nothing.
_EMBED = full(f"""
{_NOTE}
if call('EXISTS', SEARCH) == 0 or present() ~= ARGV[1] then return end
local other = note('', ARGV[2])
if other then return other end
bulk('HSET', VECTORS, {{unpack(ARGV, 3)}})
""")

_FORGET = full("""
local many = call('HLEN', VECTORS)
call('DEL', VECTORS)
call('HDEL', SEARCH, 'model')
call('HINCRBY', SEARCH, 'changes', 1)
return many
""")

AT_ONCE = 500  # vectors: a script has no room for all of a long history

Sessions = Callable[[], AsyncIterator[str]]


class RedisSearch:
    """The messages under one prefix, with their vectors; ``evaluate`` runs a session's script."""

    def __init__(self, evaluate: Evaluate, sessions: Sessions) -> None:
        self._evaluate = evaluate
        self._sessions = sessions

    async def append(self, session_id: str, values: list[bytes], embedded: Embedded) -> None:
        """Add messages and their vectors; ``values`` are those of an append without."""
        vectors = [base64.b64encode(each) for each in embedded.vectors]
        more = [*vectors, b"%d" % len(vectors), new_epoch(), _bytes(embedded.model)]
        _refuse_mixing(await self._evaluate(_APPEND, session_id, values + more), embedded.model)

    async def read(self, wanted: Mapping[str, Known]) -> Readings:
        """What these sessions hold beyond what is known; nothing for one that is not there."""
        answers = [await self._read(session_id, known) for session_id, known in wanted.items()]
        models = frozenset(_text(answer[3]) for answer in answers if answer and answer[3])
        pairs = zip(wanted, answers, strict=True)
        return Readings(models, [_reading(session_id, answer) for session_id, answer in pairs])

    async def embed(self, reading: Reading, embedded: Embedded) -> None:
        """Store the vectors of the reading's rows, unless the session's epoch has changed."""
        pairs = list(zip(reading.rows, embedded.vectors, strict=True))
        for first in range(0, len(pairs), AT_ONCE):
            values = [_bytes(reading.known.epoch), _bytes(embedded.model)]
            for row, vectors in pairs[first : first + AT_ONCE]:
                values += [b"%d" % row.place, base64.b64encode(vectors)]
            answer = await self._evaluate(_EMBED, reading.session_id, values)
            _refuse_mixing(answer, embedded.model)

    async def forget_vectors(self) -> int:
        """Remove the vectors of all messages, and the name of their model; return how many."""
        return sum(
            [int(await self._evaluate(_FORGET, each, [])) async for each in self._sessions()]
        )

    async def _read(self, session_id: str, known: Known) -> list[Any]:
        values = [_bytes(known.epoch), b"%d" % known.newest, new_epoch()]
        answer: list[Any] = await self._evaluate(_READ, session_id, values)
        return answer


def _reading(session_id: str, answer: list[Any]) -> Reading:
    if not answer:
        return Reading(session_id, Known(), Known(), ())
    epoch, newest, since = _text(answer[0]), int(answer[1]), int(answer[2])
    fields = answer[4:]
    said = [
        Row(int(place), _text(each), _text(body), vectors and base64.b64decode(vectors))
        for place, each, body, vectors in zip(*(fields[n::4] for n in range(4)), strict=True)
    ]
    said.sort(key=lambda row: row.place)
    before = Known() if since == -1 else Known(epoch, since)
    return Reading(session_id, before, Known(epoch, newest), said)


def _refuse_mixing(answer: Any, model: str) -> None:
    if answer:
        raise mismatch_error(_text(answer), model)


def new_epoch() -> bytes:
    """Something that no session has had before."""
    return os.urandom(8).hex().encode()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(answer: str | bytes) -> str:
    return answer if isinstance(answer, str) else answer.decode("utf-8", "surrogatepass")
