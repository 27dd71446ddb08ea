"""The Lua scripts of the Redis store: each write is one of them, so each write is atomic.

A session without snapshots has up to three keys under one hash tag:

- ``log``: a list of messages as JSON, oldest first;
- ``ids``: a sorted set of the message ids, whose ranks are the indexes of the list;
- ``left``: exists only while all messages of a session with a deadline are trimmed or deleted,
  and carries the deadline, which Redis would otherwise forget with the last element.

``redis_snapshots`` says what there is with snapshots, ``redis_search`` what is there for searches,
``redis_state`` how named values are kept. A session that has some has the key ``top``, ``search``
or ``state``: then a plain script changes nothing and answers ``SNAPSHOTS``, and the full one of the
same write, which regards them, does the work. So a session without them pays for one look at three
keys.
"""

from dataclasses import dataclass, field
from hashlib import sha1

from goldfish.stores.redis_snapshots import AFTER, BEFORE

SNAPSHOTS = -1  # the answer that asks for the full script


@dataclass(frozen=True)
class Script:
    """A script and the name that Redis has for it."""

    text: str
    sha: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha", sha1(self.text.encode()).hexdigest())  # frozen


@dataclass(frozen=True)
class Write:
    """One write as two scripts: for a session without snapshots, and for any session."""

    plain: Script
    full: Script


_PLAIN = f"""
if redis.call('EXISTS', KEYS[4], KEYS[5], KEYS[6]) > 0 then return {SNAPSHOTS} end
local trimming
local floor = 0
local function set_aside() end
"""


def _both(work: str) -> Write:
    return Write(Script(_PLAIN + work), full(work))


def full(work: str) -> Script:
    """The script that does the work on a session with snapshots, or without."""
    return Script(f"{BEFORE}\nlocal function work()\n{work}\nend\n{AFTER}")


# When a removal empties the session, its deadline moves to the third key.
_KEEP_DEADLINE = """
local function removing(work)
  local left = redis.call('PTTL', KEYS[1])
  work()
  if left > 0 and redis.call('EXISTS', KEYS[1]) == 0 then
    redis.call('SET', KEYS[3], '1', 'PX', left)
  end
end
"""

# ARGV: the store-wide ttl in ms or '', then all ids, then all bodies.
# Ids get scores above those that are there, and above all that snapshots may show.
# One that was there keeps its own: that tells it apart.
ADD = """
local newest = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
local base = math.max(tonumber(newest) or 0, floor)
local count = (#ARGV - 1) / 2
for first = 1, count, 1000 do
  local ids, bodies = {}, {}
  for i = first, math.min(first + 999, count) do
    ids[#ids + 1] = base + i
    ids[#ids + 1] = ARGV[1 + i]
    bodies[#bodies + 1] = ARGV[1 + count + i]
  end
  if redis.call('ZADD', KEYS[2], 'NX', unpack(ids)) < #bodies then
    local fresh = {}
    for i = 1, #bodies do
      if tonumber(redis.call('ZSCORE', KEYS[2], ids[2 * i])) == ids[2 * i - 1] then
        fresh[#fresh + 1] = bodies[i]
      end
    end
    bodies = fresh
  end
  if #bodies > 0 then redis.call('RPUSH', KEYS[1], unpack(bodies)) end
end
if ARGV[1] ~= '' then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
  if not newest then redis.call('DEL', KEYS[3]) end
elseif not newest then
  local left = redis.call('PTTL', KEYS[3])
  if left > 0 then
    redis.call('PEXPIRE', KEYS[1], left)
    redis.call('PEXPIRE', KEYS[2], left)
    redis.call('DEL', KEYS[3])
  end
end
"""
APPEND = _both(ADD)

# ARGV: how many to keep; and an epoch, in the full script, if what goes is still to be found.
KEEP_LAST = _both(
    _KEEP_DEADLINE
    + """
trimming = ARGV[2]
local surplus = redis.call('LLEN', KEYS[1]) - tonumber(ARGV[1])
if surplus <= 0 then return 0 end
removing(function()
  set_aside(0, surplus - 1)
  redis.call('LTRIM', KEYS[1], surplus, -1)
  redis.call('ZREMRANGEBYRANK', KEYS[2], 0, surplus - 1)
end)
return surplus
"""
)

# ARGV: an epoch, in the full script, if they are still to be found, or '', or '-' if they are to be
# deleted from what is still found, too; then the ids. An empty body marks what goes: no message is
# encoded as nothing.
REMOVE = _both(
    _KEEP_DEADLINE
    + """
local removed = 0
local how = table.remove(ARGV, 1)
if #how > 1 then trimming = how end
if how == '-' and KEYS[15] then
  for i = 1, #ARGV do
    if redis.call('HDEL', KEYS[15], ARGV[i]) == 1 then
      redis.call('HINCRBY', KEYS[13], 'changes', 1)
    end
  end
end
removing(function()
  for i = 1, #ARGV do
    local rank = redis.call('ZRANK', KEYS[2], ARGV[i])
    if rank then
      set_aside(rank, rank)
      redis.call('LSET', KEYS[1], rank, '')
      removed = removed + 1
    end
  end
  if removed > 0 then
    for i = 1, #ARGV do redis.call('ZREM', KEYS[2], ARGV[i]) end
    redis.call('LREM', KEYS[1], 0, '')
  end
end)
return removed
"""
)

CLEAR = _both("""
set_aside(0, -1)
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
if KEYS[13] then redis.call('DEL', KEYS[13], KEYS[14], KEYS[15], KEYS[16]) end
""")

# ARGV: the time in ms, or '' for no deadline. Only the full script meets named values: a session
# that has nothing else keeps its deadline in the third key.
SET_TTL = _both("""
for i = 1, 2 do
  if ARGV[1] == '' then redis.call('PERSIST', KEYS[i])
  else redis.call('PEXPIRE', KEYS[i], ARGV[1]) end
end
if KEYS[16] and redis.call('EXISTS', KEYS[16]) > redis.call('EXISTS', KEYS[1]) then
  set_deadline(ARGV[1] ~= '' and ARGV[1])
end
""")

GET_TTL = Script("""
local left = redis.call('PTTL', KEYS[1])
if left == -2 then left = redis.call('PTTL', KEYS[3]) end
return left
""")

# ARGV: the packed named values or '', the time left in ms or '', then all ids, then all bodies.
# Whether the session was empty.
BEGIN_FORK = full(f"""
if call('LLEN', LOG) > 0 or call('EXISTS', STATE) == 1 then return 0 end
local packed = table.remove(ARGV, 1)
restate(packed)
redis.call('DEL', KEYS[3])
if #ARGV == 1 then
  if ARGV[1] ~= '' then redis.call('SET', KEYS[3], '1', 'PX', ARGV[1]) end
  return 1
end
{ADD}
return 1
""")

REMOVE_KEYS = Script("redis.call('UNLINK', unpack(KEYS))")

# ARGV: names and values in turn, of a user.
PUT_FIELDS = Script("""
for first = 1, #ARGV, 1000 do
  redis.call('HSET', KEYS[1], unpack(ARGV, first, math.min(first + 999, #ARGV)))
end
""")

# ARGV: a layout. The one that there is now: at least that.
RAISE_LAYOUT = Script("""
local found = tonumber(redis.call('GET', KEYS[1]) or '0')
if found >= tonumber(ARGV[1]) then return found end
redis.call('SET', KEYS[1], ARGV[1])
return tonumber(ARGV[1])
""")
