"""The scripts about snapshots, and those that read a session; ``session`` explains its keys."""

from goldfish.stores.redis.scripts.script import Script
from goldfish.stores.redis.scripts.session import READING, full

# ARGV: the new id and a note in JSON. A snapshot that is there stays as it is.
SAVE = full("""
if call('ZSCORE', SNAPS, ARGV[1]) then return end
local number = call('HINCRBY', SAVED, '', 1)
local newest = call('ZREVRANGE', IDS, 0, 0, 'WITHSCORES')[2]
local top = math.max(tonumber(newest) or 0, floor)
local left = time_left(LOG)
if left == -2 then left = time_left(LEFT) end
local shown = left > 0 and field(left) or '-'
call('ZADD', SNAPS, number, ARGV[1])
call('HSET', SAVED, ARGV[1],
  field(top) .. ' ' .. shown .. ' ' .. call('LLEN', LOG) .. ' ' .. ARGV[2])
call('SET', TOP, field(top))
if call('EXISTS', STATE) == 1 then call('HSET', STATES, ARGV[1], packed_state()) end
""")

# ARGV: the id. Whether there is such a snapshot.
ROLLBACK = full("""
local saved = snapshot(ARGV[1])
if not saved then return 0 end

local stays = call('ZCOUNT', IDS, '-inf', saved.top)
set_aside(stays, -1)
if stays == 0 then
  call('DEL', LOG, IDS)
else
  call('LTRIM', LOG, 0, stays - 1)
  call('ZREMRANGEBYRANK', IDS, stays, -1)
end

-- What was not there goes, except what the snapshot shows by an earlier life.
local back, doomed, from = gone_since(saved), {}, math.huge
for _, text in ipairs(call('ZRANGEBYSCORE', OPEN, saved.number, '+inf')) do
  local place = tonumber(text)
  if not back[place] then
    doomed[place] = true
    from = math.min(from, place)
  end
end

-- What comes back before all that is there is pushed to the left; from the first other change on
-- the list is made anew.
local returning = set_aside_in(back)
local first_there = tonumber(call('ZRANGE', IDS, 0, 0, 'WITHSCORES')[2] or nil) or math.huge
local head, later, names, ids, open, again = {}, {}, {}, {}, {}, {}
local newest = call('ZREVRANGE', SNAPS, 0, 0, 'WITHSCORES')[2]
for _, message in ipairs(returning) do
  if message[1] < first_there then
    table.insert(head, message[3])
  else
    table.insert(later, message)
    from = math.min(from, message[1])
  end
  local name = field(message[1])
  names[#names + 1] = name
  ids[#ids + 1], ids[#ids + 2] = name, message[2]
  open[#open + 1], open[#open + 2] = newest, name
  again[#again + 1] = message[2]
end
if from < math.huge then
  local rank = call('ZCOUNT', IDS, '-inf', '(' .. field(from))
  local merged, removed, removed_ids, at = {}, {}, {}, 1
  for _, message in ipairs(ranked(rank, -1)) do
    while at <= #later and later[at][1] < message[1] do
      merged[#merged + 1] = later[at][3]
      at = at + 1
    end
    if doomed[message[1]] then
      removed[#removed + 1], removed_ids[#removed_ids + 1] = message, message[2]
    else
      merged[#merged + 1] = message[3]
    end
  end
  for i = at, #later do merged[#merged + 1] = later[i][3] end
  if rank == 0 then call('DEL', LOG) else call('LTRIM', LOG, 0, rank - 1) end
  keep(removed)
  unfind(removed)
  bulk('ZREM', IDS, removed_ids)
  bulk('RPUSH', LOG, merged)
end
for i = 1, math.floor(#head / 2) do head[i], head[#head + 1 - i] = head[#head + 1 - i], head[i] end
bulk('LPUSH', LOG, head)
bulk('ZADD', IDS, ids)
bulk('ZADD', OPEN, open)
bulk('HDEL', GONE, names)
untrim(again)
if call('EXISTS', SEARCH) == 1 then change(0) end  -- what came back has no marks
restate(call('HGET', STATES, ARGV[1]) or '')
set_deadline(saved.left)
return 1
""")

# ARGV: the id. With it go the lives that no other snapshot shows: they ended before the next one,
# and began after the one before (or beyond its top).
DELETE = full("""
local saved = snapshot(ARGV[1])
if not saved then return end
local number = field(saved.number)
local before = snapshot(call('ZREVRANGEBYSCORE', SNAPS, '(' .. number, '-inf', 'LIMIT', 0, 1)[1])
local after = call('ZRANGEBYSCORE', SNAPS, '(' .. number, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
if not before and not after then
  call('DEL', TOP, SNAPS, SAVED, LIVES, OPEN, REFS, GONE, STATES)
  return
end
local ended = call('ZRANGEBYSCORE', LIVES, number, after and '(' .. after or '+inf')
for _, text in ipairs(ended) do
  local place, born = life(text)
  if not (before and born < before.number and place <= before.top) then
    call('ZREM', LIVES, text)
    if call('HINCRBY', REFS, field(place), -1) == 0 then
      call('HDEL', REFS, field(place))
      call('HDEL', GONE, field(place))
    end
  end
end
call('ZREM', SNAPS, ARGV[1])
call('HDEL', SAVED, ARGV[1])
call('HDEL', STATES, ARGV[1])
if not after then call('SET', TOP, field(before.top)) end
""")

# The rest only read.
# The number of messages and the time left in ms: 0 if there is no deadline.
LOOK = Script(
    READING
    + """
if agree() then return {0, 0} end
local left, kind = time_left(LOG), call('TYPE', LOG).ok
if left == -2 then left = time_left(LEFT) end
local many = kind == 'list' and call('LLEN', LOG) or kind == 'string' and call('LLEN', KEPT) or 0
return {many, math.max(left, 0)}
"""
)

# What a hash of the session holds: ARGV says which.
READ_HASH = Script(
    READING + "if agree() then return {} end\nreturn call('HGETALL', KEYS[tonumber(ARGV[1])])"
)

# ARGV: the first index.
READ = Script(
    READING
    + """
if agree() then return {} end
local kind = call('TYPE', LOG).ok
if kind == 'list' then return call('LRANGE', LOG, ARGV[1], -1) end
if kind == 'string' then return call('LRANGE', KEPT, ARGV[1], -1) end
return {}
"""
)

# The ids and what is known of each snapshot in turn, oldest first.
LIST = Script(
    READING
    + """
agree()
local found = {}
for _, id in ipairs(call('ZRANGE', SNAPS, 0, -1)) do
  found[#found + 1] = id
  found[#found + 1] = call('HGET', SAVED, id)
end
return found
"""
)

# ARGV: the id. The time left in ms or '', the packed named values or '', then the bodies that the
# snapshot shows, oldest first.
SHOW = Script(
    READING
    + """
agree()
local saved = snapshot(ARGV[1])
if not saved then return {} end
local log, ids = LOG, IDS
if call('EXISTS', KEPT) == 1 then log, ids = KEPT, KEPT_IDS end
local gone, came_back = gone_since(saved), {}
for _, place in ipairs(call('ZRANGEBYSCORE', OPEN, saved.number, '+inf')) do
  came_back[tonumber(place)] = true
end
local packed = call('HGET', STATES, ARGV[1]) or ''
local answer = {saved.left and field(saved.left) or '', packed}
local aside, at, shown = set_aside_in(gone), 1, 2
local function add(body) shown = shown + 1; answer[shown] = body end

local count = call('ZCOUNT', ids, '-inf', saved.top)
if count > 0 then
  local there = call('ZRANGE', ids, 0, count - 1, 'WITHSCORES')
  for i, body in ipairs(call('LRANGE', log, 0, count - 1)) do
    local place = tonumber(there[2 * i])
    while aside[at] and aside[at][1] < place do
      add(aside[at][3])
      at = at + 1
    end
    if gone[place] or not came_back[place] then add(body) end
  end
end
for i = at, #aside do add(aside[i][3]) end
return answer
"""
)
