"""The scripts by which an examination judges and repairs the keys of a session or a user."""

from goldfish.stores.redis.scripts.parts import ASCII, BULK
from goldfish.stores.redis.scripts.script import Script
from goldfish.stores.redis.scripts.session import READING, full
from goldfish.stores.redis.scripts.user import AGREE_FACTS

# Only the ids are gone, and nothing but their order is in them: nobody knows messages by place.
_IDS_ONLY = """
local function only_ids_are_lost()
  if call('TYPE', LOG).ok ~= 'list' or call('EXISTS', IDS) == 1 then return false end
  if snapshot_keys() > 0 or call('EXISTS', SEARCH, VECTORS, TRIMMED) > 0 then return false end
  local noted = call('GET', PARTS)
  return not noted or tonumber(string.match(noted, '^%d+')) == ending_keys() + 1
end
"""

# 'ok', 'lost', 'ids' if only these are, or 'ended' if messages wait for being set aside.
JUDGE_SESSION = Script(
    READING
    + _IDS_ONLY
    + """
local agreed, over = pcall(agree)
if not agreed then return only_ids_are_lost() and 'ids' or 'lost' end
if over and call('EXISTS', LOG) == 0 and call('EXISTS', KEPT, PARTS) > 0 then
  if snapshot_keys() == 0 or call('EXISTS', KEPT) == 1 then return 'ended' end
end
return 'ok'
"""
)

# ARGV: the first and the last rank. The ids there in ASCII, and the messages.
PAIR = Script(
    READING
    + ASCII
    + """
local log, ids = LOG, IDS
if call('EXISTS', KEPT) == 1 then log, ids = KEPT, KEPT_IDS end
local found = call('ZRANGE', ids, ARGV[1], ARGV[2])
for i, id in ipairs(found) do found[i] = ascii(id) end
return {found, call('LRANGE', log, ARGV[1], ARGV[2])}
"""
)

# ARGV: the ids of all messages. Whether they were written.
RESTORE_IDS = Script(
    READING
    + _IDS_ONLY
    + BULK
    + """
if not only_ids_are_lost() or call('LLEN', LOG) ~= #ARGV then return 0 end
local scored = {}
for i, id in ipairs(ARGV) do scored[2 * i - 1], scored[2 * i] = i, id end
bulk('ZADD', IDS, scored)
local left = time_left(LOG)
if left > 0 then call('PEXPIRE', IDS, left) end
return 1
"""
)

END = full("")  # which every full script does before its work
END_FACTS = Script(AGREE_FACTS + "if agree() then call('DEL', unpack(KEYS)) end")

# The lists of a user's facts are all derived from the rows, but for vectors, deadlines and history.
_DERIVED = """
local function only_lists_are_lost()
  local many = call('HLEN', ROWS)
  local found = call('HMGET', META, 'parts', 'version')
  if many == 0 or not found[2] or call('HLEN', VECTORS) ~= many then return false end
  local lost = 3 - call('EXISTS', IDS, HOLDERS, LOG)
  if lost > 0 and found[1] then
    return tonumber(found[1]) == call('EXISTS', unpack(KEYS)) + lost
  end
  return lost > 0 and not found[1]
end
"""

# 'ok', 'lost', or 'derived' if all that is lost can be made again; 'ok' for a user without facts.
JUDGE_FACTS = Script(
    AGREE_FACTS
    + _DERIVED
    + """
local agreed, over = pcall(agree)
if over == true then return 'ended' end
if not agreed then return only_lists_are_lost() and 'derived' or 'lost' end
local many = call('HLEN', ROWS)
for _, key in ipairs({VECTORS, IDS, HOLDERS}) do
  if call('HLEN', key) ~= many then return 'lost' end
end
return call('ZCARD', LOG) == many and 'ok' or 'lost'
"""
)

# Whether the lists were made again. Every fact counts as changed, so that all readers see it.
RESTORE_FACTS = Script(
    AGREE_FACTS
    + _DERIVED
    + """
if not only_lists_are_lost() then return 0 end
call('DEL', IDS, HOLDERS, LOG)
local order = call('HKEYS', ROWS)
table.sort(order, function(one, other) return tonumber(one) < tonumber(other) end)
for _, seq in ipairs(order) do
  local parts = lines(call('HGET', ROWS, seq))
  call('HSET', IDS, parts[1], seq)
  call('HSET', HOLDERS, parts[2], seq)
  call('ZADD', LOG, whole(call('HINCRBY', META, 'version', 1)), seq)
end
call('HINCRBY', META, 'removals', 1)
local left = call('PTTL', META)
if left >= 0 then
  for _, key in ipairs({IDS, HOLDERS, LOG}) do call('PEXPIRE', key, math.max(left, 1)) end
end
return 1
"""
)

# KEYS: the named values, and the key that tells of them. Whether they are lost.
JUDGE_VALUES = Script(
    "return redis.call('EXISTS', KEYS[2]) > redis.call('EXISTS', KEYS[1]) and 1 or 0"
)

# Likewise. Whether nothing tells of lost values any more.
FORGET_VALUES = Script("""
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
return redis.call('DEL', KEYS[2])
""")
