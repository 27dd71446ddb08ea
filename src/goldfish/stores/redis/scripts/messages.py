"""The scripts that write messages: each write is one of them, so each write is atomic."""

from goldfish.stores.redis.scripts.parts import BULK
from goldfish.stores.redis.scripts.script import Script, Write
from goldfish.stores.redis.scripts.session import PLAIN, READING, both, full

# When a removal empties the session, its deadline moves to the third key; only a full script can
# note that there is one.
_KEEP_DEADLINE = """
local function must_note(left, removed)
  return left > 0 and not PARTS and removed == redis.call('LLEN', KEYS[1])
end

local function keep_deadline(left)
  if left > 0 and redis.call('EXISTS', KEYS[1]) == 0 then
    redis.call('SET', KEYS[3], '1', 'PX', left)
  end
end

local left = time_left(KEYS[1])
"""

# ARGV: the store-wide ttl in ms or '', then all ids, then all bodies.
# Ids get scores above those that are there, and above all that snapshots may show.
# One that was there keeps its own: that tells it apart. What was trimmed under them is superseded.
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
untrim(ARGV, 2, 1 + count)
if ARGV[1] ~= '' then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
  if not newest then redis.call('DEL', KEYS[3]) end
elseif not newest then
  local left = time_left(KEYS[3])
  if left > 0 then
    redis.call('PEXPIRE', KEYS[1], left)
    redis.call('PEXPIRE', KEYS[2], left)
    redis.call('DEL', KEYS[3])
  end
end
"""
APPEND = both(ADD)

# The same with one more argument, a number; the answer is so many of the newest bodies.
APPEND_AND_READ = both(f"""
local many = table.remove(ARGV)
{ADD}
return redis.call('LRANGE', KEYS[1], -many, -1)
""")

# ARGV: how many to keep; and an epoch, in the full script, if what goes is still to be found.
KEEP_LAST = both(
    _KEEP_DEADLINE
    + """
trimming = ARGV[2]
local surplus = redis.call('LLEN', KEYS[1]) - tonumber(ARGV[1])
if surplus <= 0 then return 0 end
if must_note(left, surplus) then return -1 end
set_aside(0, surplus - 1)
redis.call('LTRIM', KEYS[1], surplus, -1)
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, surplus - 1)
keep_deadline(left)
return surplus
"""
)

# ARGV: an epoch, in the full script, if they are still to be found, or '', or '-' if they are to be
# deleted from what is still found, too; then the ids. Most often they are neighbours, so they are
# removed run by run. Many of them are looked up in all that is there, a few one by one.
REMOVE = both(
    _KEEP_DEADLINE
    + BULK
    + """
local function ranks_of(ids)
  local ranks, many = {}, redis.call('ZCARD', KEYS[2])
  if #ids * 8 < many then
    for _, id in ipairs(ids) do ranks[#ranks + 1] = redis.call('ZRANK', KEYS[2], id) or nil end
    table.sort(ranks)
    return ranks
  end
  local doomed = {}
  for _, id in ipairs(ids) do doomed[id] = true end
  for i, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    if doomed[id] then ranks[#ranks + 1] = i - 1 end
  end
  return ranks
end

local function runs_of(ranks)
  local runs = {}
  for _, rank in ipairs(ranks) do
    local run = runs[#runs]
    if run and run[2] == rank - 1 then run[2] = rank else runs[#runs + 1] = {rank, rank} end
  end
  return runs
end

-- What comes after the first run is either marked by an empty body, for no message is encoded as
-- nothing, or made anew.
local function cut(runs, removed)
  local first, last = runs[1][1], runs[#runs][2]
  if #runs == 1 and first == 0 then
    redis.call('LTRIM', KEYS[1], last + 1, -1)
  elseif removed * 16 < last - first then
    for _, run in ipairs(runs) do
      for rank = run[1], run[2] do redis.call('LSET', KEYS[1], rank, '') end
    end
    redis.call('LREM', KEYS[1], 0, '')
  else
    local stays, at = {}, 1
    for i, body in ipairs(redis.call('LRANGE', KEYS[1], first, -1)) do
      local rank = first + i - 1
      if runs[at] and rank > runs[at][2] then at = at + 1 end
      if not runs[at] or rank < runs[at][1] then stays[#stays + 1] = body end
    end
    redis.call('LTRIM', KEYS[1], 0, first - 1)
    if first == 0 then redis.call('DEL', KEYS[1]) end  -- 0 to -1 is all of it
    bulk('RPUSH', KEYS[1], stays)
    if left > 0 then redis.call('PEXPIRE', KEYS[1], left) end
  end
end

local how = table.remove(ARGV, 1)
if #how > 1 then trimming = how end
if how == '-' then untrim(ARGV) end
local ranks = ranks_of(ARGV)
if #ranks == 0 then return 0 end
if must_note(left, #ranks) then return -1 end
local runs = runs_of(ranks)
set_aside_runs(runs)
cut(runs, #ranks)
if #runs * 8 < #ranks then
  for i = #runs, 1, -1 do redis.call('ZREMRANGEBYRANK', KEYS[2], runs[i][1], runs[i][2]) end
else
  bulk('ZREM', KEYS[2], ARGV)
end
keep_deadline(left)
return #ranks
"""
)

# Without snapshots, the way out of keys that disagree, too.
_CLEAR = """
set_aside(0, -1)
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
if PARTS then redis.call('DEL', SEARCH, VECTORS, TRIMMED, STATE, TOKEN) end
"""
CLEAR = Write(Script(PLAIN + _CLEAR), full(_CLEAR))

# ARGV: the time in ms, or '' for no deadline. Only the full script meets named values: a session
# that has nothing else keeps its deadline in the third key.
SET_TTL = both("""
for i = 1, 2 do
  if ARGV[1] == '' then redis.call('PERSIST', KEYS[i])
  else redis.call('PEXPIRE', KEYS[i], ARGV[1]) end
end
if KEYS[16] and redis.call('EXISTS', KEYS[16]) > redis.call('EXISTS', KEYS[1]) then
  set_deadline(ARGV[1] ~= '' and ARGV[1])
end
""")

# ARGV: the token of the call or '', the packed named values or '', the time left in ms or '', then
# all ids, then all bodies. Whether the session was empty, or was begun by the same call.
BEGIN_FORK = full(f"""
local token, packed = table.remove(ARGV, 1), table.remove(ARGV, 1)
if token ~= '' and call('GET', TOKEN) == token then return 1 end
if call('LLEN', LOG) > 0 or call('EXISTS', STATE) == 1 then return 0 end
restate(packed)
call('DEL', LEFT, TOKEN)
if token ~= '' then call('SET', TOKEN, token) end
if #ARGV == 1 then
  if ARGV[1] ~= '' then call('SET', LEFT, '1', 'PX', ARGV[1]) end
  return 1
end
{ADD}
return 1
""")

REMOVE_KEYS = Script("redis.call('UNLINK', unpack(KEYS))")

# ARGV: a layout. The one that there is now: at least that.
RAISE_LAYOUT = Script("""
local found = tonumber(redis.call('GET', KEYS[1]) or '0')
if found >= tonumber(ARGV[1]) then return found end
redis.call('SET', KEYS[1], ARGV[1])
return tonumber(ARGV[1])
""")

# ARGV: the token of a call. Whether that call began the session.
IS_BEGUN = Script(
    READING
    + """
if agree() then return 0 end
return call('GET', TOKEN) == ARGV[1] and 1 or 0
"""
)
