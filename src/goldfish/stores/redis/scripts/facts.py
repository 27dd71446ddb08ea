"""The scripts about facts: each write is one of them, so each write is atomic.

All keys of a user share a hash tag:

- ``meta``: a hash of the user's counters (epoch, version, removals), the name of the model, how
  many ``parts`` there are: keys of the user, this one included; and when they are ``due`` to end;
- ``rows``: a hash by number of what is known of a fact, one line each: id, key, the number at which
  it was worded, times seen, near, base, said (JSON has no line breaks of its own);
- ``vectors``: a hash by number, in base64, because a client may decode all that it gets as text;
- ``ids``, ``keys``: hashes from a fact's id, or the key of what it says, to its number;
- ``log``: a sorted set of the numbers by the number of the last change;
- ``ends``: a sorted set of the numbers of facts that expire, by the time in ms;
- ``past``: a hash by number of what was said before, one line each;
- ``tokens``: a hash from the token of a call to the number of the fact that it wrote, and ``told``:
  a sorted set of the tokens by the time in ms, so that old ones can be removed.

A fact expires by the server's clock: writers remove it, readers are told the time and the deadline.
Once all facts of a user have a deadline, Redis itself removes the keys when the last one is over.
If a server has evicted some of the keys, every script raises ``DISAGREE`` and changes nothing, but
for the one that removes them all. Facts of an older goldfish have no number of parts before their
next write: until then, only the keys are counted that every user with facts has.
"""

from goldfish.stores.facts.backend import TOKEN_SECONDS
from goldfish.stores.redis.scripts.parts import DISAGREE
from goldfish.stores.redis.scripts.script import Script

NAMES = (
    *(b"meta", b"rows", b"vectors", b"ids", b"keys", b"log", b"ends", b"past"),
    *(b"tokens", b"told"),
)
STALE_TOKENS = 100  # are removed by one write, at most

_KEYS = """
local META, ROWS, VECTORS, IDS, HOLDERS, LOG, ENDS, PAST, TOKENS, TOLD = unpack(KEYS)
local call = redis.call
local clock = call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)

local function whole(number) return string.format('%.0f', number) end

local function lines(text)
  local found = {}
  for line in string.gmatch(text .. '\\n', '([^\\n]*)\\n') do found[#found + 1] = line end
  return found
end
"""

AGREE_FACTS = (
    _KEYS
    + f"""
-- Raise if the keys of the user disagree. Whether all facts have ended, and only META is left.
local function agree()
  local there, noted = call('EXISTS', unpack(KEYS)), call('HMGET', META, 'parts', 'due')
  local parts, due = noted[1], tonumber(noted[2] or nil) or 0
  if due > 0 and due <= now then return true end
  if there == 0 or tonumber(parts or nil) == there then return end
  if parts or call('EXISTS', META, ROWS, VECTORS, IDS, HOLDERS, LOG) < 6 then
    error('{DISAGREE}: facts')
  end
end
"""
)
_AGREEING = AGREE_FACTS + "local over = agree()\n"

_WRITING = (
    _AGREEING
    + f"""
local function remove(seq)
  local row = call('HGET', ROWS, seq)
  if row then
    local parts = lines(row)
    call('HDEL', IDS, parts[1])
    call('HDEL', HOLDERS, parts[2])
  end
  call('HDEL', ROWS, seq)
  call('HDEL', VECTORS, seq)
  call('HDEL', PAST, seq)
  call('ZREM', LOG, seq)
  call('ZREM', ENDS, seq)
end

local function prune()
  local old = call('ZRANGEBYSCORE', TOLD, '-inf', whole(now - {TOKEN_SECONDS * 1000:.0f}),
    'LIMIT', 0, {STALE_TOKENS})
  if #old == 0 then return end
  call('ZREM', TOLD, unpack(old))
  call('HDEL', TOKENS, unpack(old))
end

-- Know the call again by its token, for a while.
local function note(token, seq)
  if token == '' then return end
  call('HSET', TOKENS, token, seq)
  call('ZADD', TOLD, whole(now), token)
end

-- The id of the fact that the call with this token wrote, if that is still there.
local function told(token)
  local seq = token ~= '' and call('HGET', TOKENS, token)
  local row = seq and call('HGET', ROWS, seq)
  return row and lines(row)[1]
end

local function count() return tonumber(call('HINCRBY', META, 'version', 1)) end

-- At the end of a write: keep nothing of a user without facts, or beyond the last deadline.
local function finish()
  local facts = call('ZCARD', LOG)
  if facts == 0 then return call('DEL', unpack(KEYS)) end
  prune()
  local last = call('ZCARD', ENDS) == facts and call('ZREVRANGE', ENDS, 0, 0, 'WITHSCORES')[2]
  last = last and whole(tonumber(last))
  call('HSET', META, 'parts', call('EXISTS', unpack(KEYS)), 'due', last or 0)
  if last then
    for _, key in ipairs(KEYS) do call('PEXPIREAT', key, last) end
    if LASTING then call('PERSIST', META) end
  elseif call('PTTL', ROWS) >= 0 then  -- 0 in its last moment
    for _, key in ipairs(KEYS) do call('PERSIST', key) end
  end
end

if over then call('DEL', unpack(KEYS)) end
local expired = call('ZRANGEBYSCORE', ENDS, '-inf', now)
for _, seq in ipairs(expired) do remove(seq) end
if #expired > 0 then finish() end
"""
)

# ARGV: epoch, version and removals that the reader knows, and how many rows it wants at most.
# Counters, model, time, whether there is more and whether numbers follow; the numbers of all facts;
# and five values for each row.
CHANGES = Script(
    _AGREEING
    + """
local meta = call('HMGET', META, 'epoch', 'version', 'removals', 'model')
if over or not meta[1] then return {{'0', '0', '0', '', whole(now), 0, 0}, {}, {}} end
local since, removals = tonumber(ARGV[2]), ARGV[3]
if meta[1] ~= ARGV[1] then since, removals = 0, '0' end
local alive, told, rows, more = {}, 0, {}, 0
if meta[3] ~= removals then alive, told = call('ZRANGE', LOG, 0, -1), 1 end
if tonumber(meta[2]) > since then
  local page = tonumber(ARGV[4])
  local found = call('ZRANGEBYSCORE', LOG, '(' .. whole(since), '+inf',
    'WITHSCORES', 'LIMIT', 0, page + 1)
  for i = 1, math.min(#found, 2 * page), 2 do
    local seq = found[i]
    rows[#rows + 1] = seq
    rows[#rows + 1] = found[i + 1]
    rows[#rows + 1] = call('ZSCORE', ENDS, seq) or ''
    rows[#rows + 1] = call('HGET', ROWS, seq)
    rows[#rows + 1] = call('HGET', VECTORS, seq)
  end
  if #found > 2 * page then more, meta[2] = 1, found[2 * page] end
end
return {{meta[1], meta[2], meta[3], meta[4], whole(now), more, told}, alive, rows}
"""
)

# ARGV: id, key, base, said, time to live in ms or '', model, vectors, epoch, token or ''.
REMEMBER = Script(
    _WRITING
    + """
local model = call('HGET', META, 'model')
if model and model ~= ARGV[6] then
  if call('ZCARD', LOG) > 0 then return {'other model', model} end
  call('DEL', unpack(KEYS))
  model = false
end
if not model then
  call('HSET', META, 'epoch', ARGV[8], 'version', '0', 'removals', '0', 'model', ARGV[6])
end
local repeated = told(ARGV[9])
if repeated then return {'done', repeated} end
local deadline = ARGV[5] ~= '' and now + tonumber(ARGV[5])
local id, seq = ARGV[1], call('HGET', HOLDERS, ARGV[2])
local at = count()
if seq then
  local parts = lines(call('HGET', ROWS, seq))
  id, parts[4] = parts[1], whole(tonumber(parts[4]) + 1)
  call('HSET', ROWS, seq, table.concat(parts, '\\n'))
  local old = call('ZSCORE', ENDS, seq)
  if old and not deadline then call('ZREM', ENDS, seq) end
  if not old or (deadline and deadline < tonumber(old)) then deadline = false end
else
  seq = whole(at)
  local row = {id, ARGV[2], seq, '1', '[]', ARGV[3], ARGV[4]}
  call('HSET', ROWS, seq, table.concat(row, '\\n'))
  call('HSET', VECTORS, seq, ARGV[7])
  call('HSET', IDS, id, seq)
  call('HSET', HOLDERS, ARGV[2], seq)
end
call('ZADD', LOG, whole(at), seq)
if deadline then call('ZADD', ENDS, whole(deadline), seq) end
note(ARGV[9], seq)
finish()
return {'done', id}
"""
)

# ARGV: id, key, said, model, vectors, token or ''.
REVISE = Script(
    _WRITING
    + """
local seq = call('HGET', IDS, ARGV[1])
if not seq then return {'not found', ''} end
local model = call('HGET', META, 'model')
if model ~= ARGV[4] then return {'other model', model} end
if told(ARGV[6]) then return {'done', ARGV[1]} end
local holder = call('HGET', HOLDERS, ARGV[2])
if holder and holder ~= seq then return {'taken', lines(call('HGET', ROWS, holder))[1]} end
local parts, past = lines(call('HGET', ROWS, seq)), call('HGET', PAST, seq)
call('HSET', PAST, seq, (past and past .. '\\n' or '') .. parts[7])
call('HDEL', HOLDERS, parts[2])
call('HSET', HOLDERS, ARGV[2], seq)
local at = whole(count())
parts[2], parts[3], parts[5], parts[7] = ARGV[2], at, '[]', ARGV[3]
call('HSET', ROWS, seq, table.concat(parts, '\\n'))
call('HSET', VECTORS, seq, ARGV[5])
call('ZADD', LOG, at, seq)
note(ARGV[6], seq)
finish()
return {'done', ARGV[1]}
"""
)

# ARGV: id, the number at which it was worded, near.
LINK = Script(
    _WRITING
    + """
local seq = call('HGET', IDS, ARGV[1])
if not seq then return end
local parts = lines(call('HGET', ROWS, seq))
if parts[3] ~= ARGV[2] or parts[5] ~= '[]' then return end
parts[5] = ARGV[3]
call('HSET', ROWS, seq, table.concat(parts, '\\n'))
call('ZADD', LOG, whole(count()), seq)
"""
)

# ARGV: id.
FORGET = Script(
    _WRITING
    + """
local seq = call('HGET', IDS, ARGV[1])
if not seq then return end
remove(seq)
count()
call('HINCRBY', META, 'removals', 1)
finish()
"""
)

FORGET_ALL = Script(_KEYS + "call('DEL', unpack(KEYS))")

# ARGV: id.
HISTORY = Script(
    _AGREEING
    + """
local seq = call('HGET', IDS, ARGV[1])
return seq and call('HGET', PAST, seq) or ''
"""
)

# ARGV: epoch, version, removals, model, the new epoch, then numbers and vectors in turn.
EMBED = Script(
    _AGREEING
    + """
local meta = call('HMGET', META, 'epoch', 'version', 'removals')
for i = 1, 3 do
  if meta[i] ~= ARGV[i] then return 0 end
end
for i = 6, #ARGV, 2 do
  if call('HEXISTS', ROWS, ARGV[i]) == 1 then call('HSET', VECTORS, ARGV[i], ARGV[i + 1]) end
end
call('HSET', META, 'model', ARGV[4], 'epoch', ARGV[5])
return 1
"""
)
