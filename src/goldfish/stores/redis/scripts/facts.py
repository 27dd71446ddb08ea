"""The scripts about facts: each write is one of them, so each write is atomic.

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

from goldfish.stores.facts.backend import STEP, TOKEN_SECONDS
from goldfish.stores.facts.identity import NAMED
from goldfish.stores.redis.scripts.marks import MARKS
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

_MARKS = (
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
    _AGREEING
    + _MARKS
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
    _AGREEING
    + _MARKS
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

# ARGV: epoch, version and removals that the reader knows, and how far behind it may be.
# Counters, model, time, whether all facts have marks, whether this is everything, whether numbers
# follow; the numbers of all facts; blocks, or facts with their marks; and deadlines.
CHANGES = Script(
    _AGREEING
    + _MARKS
    + """
local meta = call('HMGET', META, 'epoch', 'version', 'removals', 'model')
if over or not meta[1] then return {{'0', '0', '0', '', whole(now), 1, 1, 0}, {}, {}, {}} end
local known = meta[1] == ARGV[1] and meta[2] == ARGV[2] and meta[3] == ARGV[3]
local head = {meta[1], meta[2], meta[3], meta[4], whole(now), is_marked() and 1 or 0, 0, 0}
if known or head[6] == 0 then return {head, {}, {}, {}} end
local alive, marks, ends, since = {}, {}, {}, tonumber(ARGV[2])
if meta[1] ~= ARGV[1] or tonumber(meta[2]) - since > tonumber(ARGV[4]) then
  head[7] = 1
  local all = call('HGETALL', META)
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 6) == 'marks:' then marks[#marks + 1] = all[i + 1] end
  end
  return {head, alive, marks, call('ZRANGE', ENDS, 0, -1, 'WITHSCORES')}
end
if meta[3] ~= ARGV[3] then alive, head[8] = call('ZRANGE', LOG, 0, -1), 1 end
for _, seq in ipairs(call('ZRANGEBYSCORE', LOG, '(' .. whole(since), '+inf')) do
  for _, each in ipairs(read_block(META, block(seq))) do
    if each[1] == seq then
      local size = whole(#each[3] * 3 / 4)
      marks[#marks + 1] = seq .. ' ' .. each[2] .. ' ' .. size .. '\\n' .. each[3]
    end
  end
  local deadline = call('ZSCORE', ENDS, seq)
  if deadline then
    ends[#ends + 1] = seq
    ends[#ends + 1] = deadline
  end
end
return {head, alive, marks, ends}
"""
)

# ARGV: id.
FIND = Script(
    READING
    + """
local seq = not over and call('HGET', IDS, ARGV[1])
if seq then tell(seq) end
return answer
"""
)

# ARGV: how many to leave out, and how many to tell, or -1.
PAGE = Script(
    READING
    + """
if over then return answer end
local seqs, ended, left = {}, {}, tonumber(ARGV[2])
local enough = left < 0 and math.huge or tonumber(ARGV[1]) + left
for _, seq in ipairs(call('ZRANGEBYSCORE', ENDS, '-inf', now)) do ended[seq] = true end
local function add(seq)
  if not ended[seq] then seqs[#seqs + 1] = tonumber(seq) end
end
if call('ZCARD', LOG) > 1000 and is_marked() then  -- sorting them all would take a while
  local at, newest = 0, tonumber(call('HGET', META, 'version'))
  while #seqs < enough and at <= newest do
    local few = {}
    for _, each in ipairs(read_block(META, block(at))) do few[#few + 1] = tonumber(each[1]) end
    table.sort(few)
    for _, seq in ipairs(few) do add(whole(seq)) end
    at = at + SPAN
  end
else
  for _, seq in ipairs(call('ZRANGE', LOG, 0, -1)) do add(seq) end
  table.sort(seqs)
end
local last = math.min(#seqs, enough)
for i = tonumber(ARGV[1]) + 1, last do tell(whole(seqs[i])) end
return answer
"""
)

# ARGV: numbers.
READ = Script(
    READING
    + """
if over then return answer end
for _, seq in ipairs(ARGV) do tell(seq) end
return answer
"""
)

# ARGV: numbers. Three values for each that is there.
VECTORS = Script(
    _AGREEING
    + """
local found = {}
for _, seq in ipairs(over and {} or ARGV) do
  local row = call('HGET', ROWS, seq)
  if row then
    found[#found + 1] = seq
    found[#found + 1] = lines(row)[3]
    found[#found + 1] = call('HGET', VECTORS, seq)
  end
end
return found
"""
)

# ARGV: a number. Two values for each fact that came after it.
BASES = Script(
    _AGREEING
    + """
local found, rows = {}, over and {} or call('HGETALL', ROWS)
for i = 1, #rows, 2 do
  if tonumber(rows[i]) > tonumber(ARGV[1]) then
    found[#found + 1] = rows[i]
    found[#found + 1] = lines(rows[i + 1])[6]
  end
end
return found
"""
)

# ARGV: a number. Five values for each of the first facts beyond it without marks of their text.
UNMARKED = Script(
    _AGREEING
    + _MARKS
    + f"""
local found, seqs, texts = {{}}, {{}}, marked_texts(META)
for _, seq in ipairs(over and {{}} or call('HKEYS', ROWS)) do seqs[#seqs + 1] = tonumber(seq) end
table.sort(seqs)
for _, number in ipairs(seqs) do
  local seq = whole(number)
  if number > tonumber(ARGV[1]) and #found < {5 * STEP} then
    local parts = lines(call('HGET', ROWS, seq))
    if texts[seq] ~= parts[3] then
      for _, value in ipairs({{seq, parts[3], parts[6], parts[7], call('HGET', VECTORS, seq)}}) do
        found[#found + 1] = value
      end
    end
  end
end
return found
"""
)

# ARGV: id, key, base, said, time to live in ms or '', model, vectors, epoch, token or '', marks.
REMEMBER = Script(
    WRITING
    + """
local other = admit(ARGV[6], ARGV[8])
if other then return {'other model', other} end
local repeated = told(ARGV[9])
if repeated then return {'done', repeated} end
local deadline = ARGV[5] ~= '' and now + tonumber(ARGV[5])
local id, seq = ARGV[1], call('HGET', HOLDERS, ARGV[2])
if seq then
  local parts = lines(call('HGET', ROWS, seq))
  id, parts[4] = parts[1], whole(tonumber(parts[4]) + 1)
  call('HSET', ROWS, seq, table.concat(parts, '\\n'))
  call('ZADD', LOG, whole(count()), seq)
  local old = call('ZSCORE', ENDS, seq)
  if old and not deadline then call('ZREM', ENDS, seq) end
  if not old or (deadline and deadline < tonumber(old)) then deadline = false end
else
  seq = add(id, ARGV[2], ARGV[3], ARGV[4], ARGV[7], ARGV[10])
  call('HDEL', META, 'named')
end
if deadline then call('ZADD', ENDS, whole(deadline), seq) end
note(ARGV[9], seq)
finish()
return {'done', id}
"""
)

# ARGV: id, key, said, model, vectors, token or '', marks.
REVISE = Script(
    WRITING
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
unlink(seq)
mark(seq, at, ARGV[7])
call('ZADD', LOG, at, seq)
call('HDEL', META, 'named')
note(ARGV[6], seq)
finish()
return {'done', ARGV[1]}
"""
)

# ARGV: id, the number at which it was worded, near.
LINK = Script(
    WRITING
    + """
local seq = call('HGET', IDS, ARGV[1])
if not seq then return end
local parts = lines(call('HGET', ROWS, seq))
if parts[3] ~= ARGV[2] or parts[5] ~= '[]' then return end
parts[5] = ARGV[3]
call('HSET', ROWS, seq, table.concat(parts, '\\n'))
point_both(seq, ARGV[3])
call('ZADD', LOG, whole(count()), seq)
"""
)

# ARGV: id.
FORGET = Script(
    WRITING
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
    + _MARKS
    + """
local meta = call('HMGET', META, 'epoch', 'version', 'removals')
for i = 1, 3 do
  if meta[i] ~= ARGV[i] then return 0 end
end
for i = 6, #ARGV, 2 do
  if call('HEXISTS', ROWS, ARGV[i]) == 1 then call('HSET', VECTORS, ARGV[i], ARGV[i + 1]) end
end
unmark_all(META)
call('HSET', META, 'model', ARGV[4], 'epoch', ARGV[5], 'marked', '-1')
return 1
"""
)

# ARGV: numbers, the numbers of their wording, and marks in turn. Whether all facts have marks now.
MARK = Script(
    WRITING
    + f"""
for i = 1, #ARGV, 3 do
  local row = call('HGET', ROWS, ARGV[i])
  if row and lines(row)[3] == ARGV[i + 1] then mark(ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
end
if call('EXISTS', META) == 0 then return 1 end
if #ARGV == {3 * STEP} then return 0 end
local texts, rows = marked_texts(META), call('HGETALL', ROWS)
for i = 1, #rows, 2 do
  if texts[rows[i]] ~= lines(rows[i + 1])[3] then return 0 end
  texts[rows[i]] = nil
end
for seq in pairs(texts) do mark(seq) end
for _, field in ipairs(call('HKEYS', META)) do
  if string.sub(field, 1, 5) == 'near:' then call('HDEL', META, field) end
end
for i = 1, #rows, 2 do point_both(rows[i], lines(rows[i + 1])[5]) end
call('HSET', META, 'marked', call('HGET', META, 'version'))
return 1
"""
)
