"""The scripts that write and read what searches need.

A session that is searched, or was written by a store that searches, has under its hash tag:

- ``search``: a hash of an ``epoch``, which is new with the key, how many ``changes`` took something
  away or brought it back since, the ``model`` of the vectors, and the ``floor``: the newest place
  (see ``session``) of a trimmed message; blocks of ``marks``, which are explained there, by place;
  and ``marked``: the epoch and changes at which the marks were right, and up to which place all
  messages have them. Who does not write marks (an older goldfish) counts the changes alone, and
  then the next search makes all marks anew;
- ``vectors``: a hash by place, in base64, because a client may decode all that it gets as text;
- ``trimmed``: a hash by id of trimmed messages that are still to be found: the place, the body.

They end with the session.
"""

from goldfish.stores.redis.scripts.messages import ADD
from goldfish.stores.redis.scripts.session import full
from goldfish.stores.search.backend import STEP

_NOTE = """
local function note(epoch, model)
  local stored = call('HGET', SEARCH, 'model')
  if stored and model and stored ~= model then return stored end
  if call('HSETNX', SEARCH, 'epoch', epoch) == 1 then
    call('HSET', SEARCH, 'changes', 0)
    if call('LLEN', LOG) == 0 and call('EXISTS', TRIMMED) == 0 then set_marked(0) end
  end
  if model then call('HSET', SEARCH, 'model', model) end
end

local function newest_place()
  local last = tonumber(call('ZREVRANGE', IDS, 0, 0, 'WITHSCORES')[2] or nil) or 0
  return math.max(last, tonumber(call('HGET', SEARCH, 'floor') or nil) or 0)
end
"""

# The trimmed messages as place, id, body, but for those that the session has again: an older
# goldfish may have left them.
_TRIMMED = """
local function trimmed_messages()
  local all, found = call('HGETALL', TRIMMED), {}
  for i = 1, #all, 2 do
    if not call('ZSCORE', IDS, all[i]) then
      local colon = string.find(all[i + 1], ':', 1, true)
      local place = tonumber(string.sub(all[i + 1], 1, colon - 1))
      found[#found + 1] = {place, all[i], string.sub(all[i + 1], colon + 1)}
    end
  end
  return found
end
"""

# The messages that lack marks, in order, and the places of marks that are of nothing.
_COMPARE = (
    _TRIMMED
    + """
local function compare()
  local to = marked_to()
  local marked, lacking, stray = to and marked_texts(SEARCH) or {}, {}, {}
  local said = ranked(call('ZCOUNT', IDS, '-inf', to or 0), -1)
  for _, message in ipairs(trimmed_messages()) do said[#said + 1] = message end
  for _, message in ipairs(said) do
    local place = field(message[1])
    if marked[place] then
      marked[place] = nil
    elseif message[1] > (to or 0) then
      lacking[#lacking + 1] = message
    end
  end
  for place in pairs(marked) do
    if tonumber(place) > (to or 0) then stray[#stray + 1] = {place} end
  end
  table.sort(lacking, function(one, other) return one[1] < other[1] end)
  return lacking, stray
end
"""
)

# ARGV: what an append has, then all vectors (none without a model), all marks, how many, an epoch
# and the model or ''. Another model whose vectors are there, or nothing.
APPEND = full(f"""
{_NOTE}
local model, epoch, many = table.remove(ARGV), table.remove(ARGV), tonumber(table.remove(ARGV))
if model == '' then model = nil end
local other = note(epoch, model)
if other then return other end
local vectors, marks = {{}}, {{}}
for i = many, 1, -1 do marks[i] = table.remove(ARGV) end
for i = model and many or 0, 1, -1 do vectors[i] = table.remove(ARGV) end
local before = newest_place()
{ADD}
local texts = {{}}
for i = 1, count do
  local place = tonumber(call('ZSCORE', IDS, ARGV[1 + i]))
  if place == base + i then
    if model then call('HSET', VECTORS, field(place), vectors[i]) end
    texts[#texts + 1] = {{field(place), '0', marks[i]}}
  end
end
mark_all(SEARCH, texts)
if #texts > 0 and (marked_to() or -1) >= before then set_marked(newest_place()) end
""")

# ARGV: the epoch and the newest place that are known, and an epoch in case there is none.
# Epoch, newest place, after which place the rest follows, model, whether all have marks; then
# blocks of marks, in any order.
READ = full(f"""
{_NOTE}
if call('LLEN', LOG) == 0 and call('EXISTS', TRIMMED) == 0 then return {{}} end
note(ARGV[3])
local epoch, newest, to = present(), newest_place(), marked_to()
local since = epoch == ARGV[1] and tonumber(ARGV[2]) or -1
local marked = to and to >= newest
local model = call('HGET', SEARCH, 'model')
local answer = {{epoch, newest, since, model, marked and 1 or 0}}
if since == newest or not marked then return answer end
if since == -1 then
  local all = call('HGETALL', SEARCH)
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 6) == 'marks:' then answer[#answer + 1] = all[i + 1] end
  end
  return answer
end
for first = math.floor((since + 1) / SPAN) * SPAN, newest, SPAN do
  local found = call('HGET', SEARCH, block(first))
  if found then answer[#answer + 1] = found end
end
return answer
""")

_SAME = "if call('EXISTS', SEARCH) == 0 or (ARGV[1] ~= '' and present() ~= ARGV[1]) then return end"

# ARGV: the epoch or '', then places. The vectors of each, or nothing if the epoch is another.
VECTORS = full(f"""
{_SAME}
local answer = {{}}
for first = 2, #ARGV, 1000 do
  local some = {{unpack(ARGV, first, math.min(first + 999, #ARGV))}}
  for _, vectors in ipairs(call('HMGET', VECTORS, unpack(some))) do
    answer[#answer + 1] = vectors
  end
end
return answer
""")

# ARGV: the epoch or '', then places. Place and body of each that there is, or nothing if the epoch
# is another. A few are looked up one by one.
BODIES = full(f"""
{_SAME}
{_TRIMMED}
local answer, wanted, left = {{}}, {{}}, 0
local function add(place, body)
  answer[#answer + 1], answer[#answer + 2] = place, body
  wanted[place], left = nil, left - 1
end
for i = 2, #ARGV do wanted[ARGV[i]], left = true, left + 1 end
if left > 100 then
  for _, message in ipairs(ranked(0, -1)) do
    local place = field(message[1])
    if wanted[place] then add(place, message[3]) end
  end
else
  for i = 2, #ARGV do
    local id = call('ZRANGEBYSCORE', IDS, ARGV[i], ARGV[i])[1]
    if id then add(ARGV[i], call('LINDEX', LOG, call('ZRANK', IDS, id))) end
  end
end
if left > 0 then
  for _, message in ipairs(trimmed_messages()) do
    if wanted[field(message[1])] then add(field(message[1]), message[3]) end
  end
end
return answer
""")

# ARGV: a place. The epoch, then place, body and vectors of the first beyond it without marks.
UNMARKED = full(f"""
{_COMPARE}
if call('EXISTS', SEARCH) == 0 then return {{}} end
local answer = {{present()}}
for _, message in ipairs((compare())) do
  if message[1] > tonumber(ARGV[1]) and #answer < {3 * STEP} then
    local place = field(message[1])
    answer[#answer + 1], answer[#answer + 2] = place, message[3]
    answer[#answer + 1] = call('HGET', VECTORS, place)
  end
end
return answer
""")

# ARGV: the epoch, the model or '', then places, vectors and marks in turn. Another model, if any.
MARK = full(f"""
{_NOTE}
{_COMPARE}
if call('EXISTS', SEARCH) == 0 or present() ~= ARGV[1] then return end
if ARGV[2] ~= '' then
  local other = note('', ARGV[2])
  if other then return other end
end
if not marked_to() then
  unmark_all(SEARCH)
  set_marked(0)
end
local texts = {{}}
for i = 3, #ARGV, 3 do
  if ARGV[2] ~= '' then call('HSETNX', VECTORS, ARGV[i], ARGV[i + 1]) end
  texts[#texts + 1] = {{ARGV[i], '0', ARGV[i + 2]}}
end
mark_all(SEARCH, texts)
if #texts == {STEP} then return end  -- there may be more
local lacking, stray = compare()
if #lacking > 0 then return end
mark_all(SEARCH, stray)
set_marked(newest_place())
""")

FORGET = full("""
local many = call('HLEN', VECTORS)
call('DEL', VECTORS)
if call('EXISTS', SEARCH) == 1 then
  unmark_all(SEARCH)
  call('HDEL', SEARCH, 'model', 'marked')
  call('HINCRBY', SEARCH, 'changes', 1)
end
return many
""")
