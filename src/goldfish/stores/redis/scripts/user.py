"""The Lua that the scripts about the facts of a user share.

All keys of a user share a hash tag:

- ``meta``: a hash of the user's counters (epoch, version, removals), the name of the model, how
  many ``parts`` there are: keys of the user, this one included; and when they are ``due`` to end;
  what was added later has fields here, which processes of an older goldfish leave alone:
  ``marked``, the version up to which all facts have their marks (who does not write marks raises
  the version alone); blocks of ``marks``, which are explained there; ``near:`` and the number of a
  fact, the numbers of those that links connect it to; ``named``, the version up to which all facts
  are known to have names;
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
from goldfish.stores.facts.identity import NAMED
from goldfish.stores.redis.scripts.marks import MARKS
from goldfish.stores.redis.scripts.parts import DISAGREE

NAMES = (
    *(b"meta", b"rows", b"vectors", b"ids", b"keys", b"log", b"ends", b"past"),
    *(b"tokens", b"told"),
)
STALE_TOKENS = 100  # are removed by one write, at most

FACT_KEYS = """
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
    FACT_KEYS
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
AGREEING = AGREE_FACTS + "local over = agree()\n"

FACT_MARKS = (
    MARKS
    + f"""
-- Whether there may be facts without names: who knows no names raises the version alone.
local function lacks_names()
  local numbers = call('HMGET', META, 'version', 'named')
  if numbers[1] == numbers[2] then return false end
  for _, key in ipairs(call('HKEYS', HOLDERS)) do
    if string.sub(key, 1, {len(NAMED)}) ~= '{NAMED}' then return true end
  end
  return false
end
"""
    + """
-- Whether every fact has its marks.
local function is_marked()
  local numbers = call('HMGET', META, 'version', 'marked')
  return numbers[1] and numbers[1] == numbers[2]
end
"""
)

# A fact and those around it: seq, changed, deadline or '', and the row of each.
READING = (
    AGREEING
    + FACT_MARKS
    + """
local answer = {}

local function living(seq)
  local deadline = call('ZSCORE', ENDS, seq)
  if deadline and tonumber(deadline) <= now then return end
  local row = call('HGET', ROWS, seq)
  return row and {seq, call('ZSCORE', LOG, seq), deadline or '', row}
end

-- The facts that links may connect it to; of those without marks links are not noted both ways.
local near_all
local marked = is_marked()
local function around(seq, row)
  if marked then
    local found, others = call('HGET', META, 'near:' .. seq), {}
    for other in string.gmatch(found or '', '%d+') do others[#others + 1] = other end
    return others
  end
  if not near_all then
    near_all = {}
    local rows = call('HGETALL', ROWS)
    for i = 1, #rows, 2 do
      local parts = lines(rows[i + 1])
      if parts[5] ~= '[]' then near_all[#near_all + 1] = {rows[i], parts[1], parts[5]} end
    end
  end
  local parts, others = lines(row), {}
  for _, each in ipairs(near_all) do
    if string.find(each[3], '"' .. parts[1] .. '"', 1, true) then others[#others + 1] = each[1] end
  end
  for id in string.gmatch(parts[5], '"([^"]*)"') do
    others[#others + 1] = call('HGET', IDS, id) or nil
  end
  return others
end

local function tell(seq)
  local found = living(seq)
  if not found then return end
  local others = {}
  for _, other in ipairs(around(seq, found[4])) do
    local there = living(other)
    for i = 1, there and 4 or 0 do others[#others + 1] = there[i] end
  end
  answer[#answer + 1] = found
  answer[#answer + 1] = others
end
"""
)

WRITING = (
    AGREEING
    + FACT_MARKS
    + f"""
local function mark(seq, said_at, marks) mark_all(META, {{{{seq, said_at, marks}}}}) end

local function point(seq, other)
  local found = call('HGET', META, 'near:' .. seq)
  call('HSET', META, 'near:' .. seq, (found and found .. ' ' or '') .. other)
end

-- Note where the links of a fact lead, both ways.
local function point_both(seq, near)
  for id in string.gmatch(near, '"([^"]*)"') do
    local other = call('HGET', IDS, id)
    if other then
      point(seq, other)
      point(other, seq)
    end
  end
end

local function unlink(seq)
  local found = call('HGET', META, 'near:' .. seq)
  if not found then return end
  for other in string.gmatch(found, '%d+') do
    local left = {{}}
    local others = call('HGET', META, 'near:' .. other)
    for each in string.gmatch(others or '', '%d+') do
      if each ~= seq then left[#left + 1] = each end
    end
    if #left > 0 then call('HSET', META, 'near:' .. other, table.concat(left, ' '))
    else call('HDEL', META, 'near:' .. other) end
  end
  call('HDEL', META, 'near:' .. seq)
end

local function remove(seq)
  unlink(seq)
  mark(seq)
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

local function count()
  local before = call('HMGET', META, 'version', 'marked', 'named')
  local at = tonumber(call('HINCRBY', META, 'version', 1))
  for i, field in ipairs({{'marked', 'named'}}) do
    if before[i + 1] == before[1] then call('HSET', META, field, whole(at)) end
  end
  return at
end

-- Begin the user of a fact, if needed; return the other model that living facts have, if they do.
local function admit(model, epoch)
  local found = call('HGET', META, 'model')
  if found and found ~= model then
    if call('ZCARD', LOG) > 0 then return found end
    call('DEL', unpack(KEYS))
    found = false
  end
  if not found then
    call('HSET', META, 'epoch', epoch, 'version', '0', 'removals', '0', 'model', model,
      'marked', '0', 'named', '0')
  end
end

-- Store a fact as the last one.
local function add(id, key, base, said, vectors, marks)
  local seq = whole(count())
  call('HSET', ROWS, seq, table.concat({{id, key, seq, '1', '[]', base, said}}, '\\n'))
  call('HSET', VECTORS, seq, vectors)
  call('HSET', IDS, id, seq)
  call('HSET', HOLDERS, key, seq)
  call('ZADD', LOG, seq, seq)
  mark(seq, seq, marks)
  return seq
end

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
