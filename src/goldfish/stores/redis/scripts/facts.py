"""The scripts about facts: each write is one of them, so each write is atomic."""

from goldfish.stores.facts.backend import STEP
from goldfish.stores.redis.scripts.script import Script
from goldfish.stores.redis.scripts.user import AGREEING, FACT_KEYS, FACT_MARKS, READING, WRITING

# ARGV: epoch, version and removals that the reader knows, and how far behind it may be.
# Counters, model, time, whether all facts have marks, whether this is everything, whether numbers
# follow; the numbers of all facts; blocks, or facts with their marks; and deadlines.
CHANGES = Script(
    AGREEING
    + FACT_MARKS
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

# ARGV: epoch, version and removals that the reader knows, then numbers. The time comes first;
# nothing at all if anything has changed since.
READ_UNCHANGED = Script(
    READING
    + """
local meta = call('HMGET', META, 'epoch', 'version', 'removals')
for i = 1, 3 do
  if over or meta[i] ~= ARGV[i] then return answer end
end
answer[1] = whole(now)
for i = 4, #ARGV do tell(ARGV[i]) end
return answer
"""
)

# ARGV: numbers. Three values for each that is there.
VECTORS = Script(
    AGREEING
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
    AGREEING
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
    AGREEING
    + FACT_MARKS
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
# Of a fact that is new, also the counters, the time, whether all have marks, and the deadline.
REMEMBER = Script(
    WRITING
    + """
local other = admit(ARGV[6], ARGV[8])
if other then return {'other model', other} end
local repeated = told(ARGV[9])
if repeated then return {'done', repeated} end
local deadline = ARGV[5] ~= '' and now + tonumber(ARGV[5])
local id, seq, added = ARGV[1], call('HGET', HOLDERS, ARGV[2])
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
  added = call('HMGET', META, 'epoch', 'version', 'removals')
end
if deadline then call('ZADD', ENDS, whole(deadline), seq) end
note(ARGV[9], seq)
finish()
if not added then return {'done', id} end
return {'done', id, added[1], added[2], added[3], whole(now), is_marked() and 1 or 0,
  deadline and whole(deadline) or ''}
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

FORGET_ALL = Script(FACT_KEYS + "call('DEL', unpack(KEYS))")

# ARGV: id.
HISTORY = Script(
    AGREEING
    + """
local seq = call('HGET', IDS, ARGV[1])
return seq and call('HGET', PAST, seq) or ''
"""
)

# ARGV: epoch, version, removals, model, the new epoch, then numbers and vectors in turn.
EMBED = Script(
    AGREEING
    + FACT_MARKS
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
