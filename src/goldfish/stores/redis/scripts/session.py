"""The Lua that the scripts about a session share.

A session without snapshots has up to three keys under one hash tag:

- ``log``: a list of messages as JSON, oldest first;
- ``ids``: a sorted set of the message ids, whose ranks are the indexes of the list;
- ``left``: exists only while all messages of a session with a deadline are trimmed or deleted,
  and carries the deadline, which Redis would otherwise forget with the last element.

A session with more has the key ``top``, ``search``, ``state``, ``token`` or ``parts``: then a plain
script changes nothing and returns ``SNAPSHOTS``, and the full script of the same write does the
work. So a session without them pays for one look at five keys.

A snapshot copies nothing. It has a number that grows, and the highest score in ``ids`` so far: its
``top``. It shows each message up to there that has been alive since; most messages are never
removed, and nothing is written about them. Of the others the lives are told: a life is shown by
the snapshots with ``born < number <= died``. What is removed while a snapshot shows it is set
aside, once, whatever the number of snapshots; when a rollback brings it back it takes its old
score, and begins another life. A score is called a place here. Under the session's hash tag:

- ``top``: that of the newest snapshot; it is there as long as the session has snapshots;
- ``snaps``: a sorted set of the snapshots' ids by number;
- ``saved``: a hash of what is known of each: top, time left in ms, number of messages, and a note
  in JSON; under the empty name the highest number that was ever used;
- ``lives``: a sorted set of lives that ended, as place:born, by the number at which they ended;
- ``open``: a sorted set of the places of messages that came back, by the number at which they did;
- ``refs``: a hash of how many lives of a place are in ``lives``;
- ``gone``: a hash of what is set aside, by place: the length of the id, the id, the body;
- ``states``: a hash by id of the named values that a snapshot shows, if it shows some.

What Redis expires cannot be set aside any more. So a session that has snapshots and a deadline
hides its messages under ``kept`` and ``kept-ids``, without a deadline, and ``log`` is a string that
expires in their stead. A reader finds no ``log``, or one of the wrong kind: then it asks the script
READ. A writer first takes them out of hiding, or sets them aside if their time is over.
"""

from goldfish.stores.redis.scripts.marks import MARKS
from goldfish.stores.redis.scripts.parts import AGREE, AGREE_PLAIN, BULK, NOTE_PARTS
from goldfish.stores.redis.scripts.script import Script, Write

SNAPSHOTS = -1  # the answer of a plain script that asks for the full one

# Every script that knows snapshots begins with this.
READING = (
    AGREE
    + """
local function life(text)
  local colon = string.find(text, ':', 1, true)
  return tonumber(string.sub(text, 1, colon - 1)), tonumber(string.sub(text, colon + 1))
end

local function snapshot(id)
  local number = id and call('ZSCORE', SNAPS, id)
  if not number then return nil end
  local top, left = string.match(call('HGET', SAVED, id), '^(%d+) (%S+)')
  return {number = tonumber(number), top = tonumber(top), left = tonumber(left)}
end

-- The places that a snapshot shows by lives that have ended, as a set.
local function gone_since(saved)
  local places = {}
  for _, text in ipairs(call('ZRANGEBYSCORE', LIVES, saved.number, '+inf')) do
    local place, born = life(text)
    if born < saved.number and place <= saved.top then places[place] = true end
  end
  return places
end

-- Of these places those that are set aside, in order: place, id, body.
local function set_aside_in(places)
  local all, found = {}, {}
  for place in pairs(places) do all[#all + 1] = place end
  table.sort(all)
  for first = 1, #all, 1000 do
    local names = {}
    for i = first, math.min(first + 999, #all) do names[#names + 1] = field(all[i]) end
    for i, packed in ipairs(call('HMGET', GONE, unpack(names))) do
      if packed then
        local colon = string.find(packed, ':', 1, true)
        local last = colon + tonumber(string.sub(packed, 1, colon - 1))
        local id, body = string.sub(packed, colon + 1, last), string.sub(packed, last + 1)
        found[#found + 1] = {all[first + i - 1], id, body}
      end
    end
  end
  return found
end
"""
)

# A full script begins with this: the messages are taken out of hiding.
BEFORE = (
    READING
    + BULK
    + MARKS
    + NOTE_PARTS
    + """
-- How to look up a name in a sorted set or a hash: one by one, or for many lookups in a copy.
local function lookup(key, many, size, one, all)
  if many * 4 < size then
    return function(name) return tonumber(call(one, key, name) or nil) end
  end
  local found, flat = {}, call(unpack(all))
  for i = 1, #flat, 2 do found[flat[i]] = tonumber(flat[i + 1]) end
  return function(name) return found[name] end
end

-- Keep what snapshots show of messages (place, id, body) that are about to be removed.
local function keep(messages)
  local top = tonumber(call('GET', TOP) or nil)
  if not top then return end
  local newest = tonumber(call('ZREVRANGE', SNAPS, 0, 0, 'WITHSCORES')[2])
  local came_back, counted = call('ZCARD', OPEN), call('HLEN', REFS)
  local born_of = came_back > 0
    and lookup(OPEN, #messages, came_back, 'ZSCORE', {'ZRANGE', OPEN, 0, -1, 'WITHSCORES'})
  local refs_of = came_back > 0
    and lookup(REFS, #messages, counted, 'HGET', {'HGETALL', REFS})
  local closed, lives, counts, gone = {}, {}, {}, {}
  for _, message in ipairs(messages) do
    local name, refs = field(message[1]), 0
    local born = born_of and born_of(name)
    if born then
      closed[#closed + 1] = name
      refs = refs_of(name) or 0
      if born < newest then
        lives[#lives + 1], lives[#lives + 2] = newest, name .. ':' .. field(born)
        refs = refs + 1
      end
    elseif message[1] <= top then
      lives[#lives + 1], lives[#lives + 2] = newest, name .. ':0'
      refs = 1
    end
    if refs > 0 then
      counts[#counts + 1], counts[#counts + 2] = name, refs
      gone[#gone + 1], gone[#gone + 2] = name, #message[2] .. ':' .. message[2] .. message[3]
    end
  end
  bulk('ZREM', OPEN, closed)
  bulk('ZADD', LIVES, lives)
  bulk('HSET', REFS, counts)
  bulk('HSET', GONE, gone)
end

-- The messages with ranks from first to last: place, id, body; -1 is the last there is.
local function ranked(first, last)
  local ids, messages = call('ZRANGE', IDS, first, last, 'WITHSCORES'), {}
  for i, body in ipairs(call('LRANGE', LOG, first, last)) do
    messages[i] = {tonumber(ids[2 * i]), ids[2 * i - 1], body}
  end
  return messages
end

-- What searches know a state of the session by.
local function present()
  return call('HGET', SEARCH, 'epoch') .. '.' .. call('HGET', SEARCH, 'changes')
end

-- Up to which place all messages have marks; nothing if the marks may be wrong.
local function marked_to()
  local epoch, to = string.match(call('HGET', SEARCH, 'marked') or '', '^(.*):(%d+)$')
  return epoch and epoch == present() and tonumber(to) or nil
end

local function set_marked(to)
  call('HSET', SEARCH, 'marked', present() .. ':' .. field(to))
end

-- Begin another state of the session; up to this place all messages have marks as before.
local function change(to)
  local marked = marked_to()
  call('HINCRBY', SEARCH, 'changes', 1)
  if marked then set_marked(math.min(marked, to)) end
end

-- Remove what messages were found by that are gone, by their places.
local function forget_places(places, to)
  bulk('HDEL', VECTORS, places)
  local gone = {}
  for i, place in ipairs(places) do gone[i] = {place} end
  if marked_to() then mark_all(SEARCH, gone) end
  change(to)
end

-- Forget what was trimmed under these ids, or some of them: it is to be deleted, or the session has
-- them again.
local function untrim(ids, from, to)
  if call('EXISTS', TRIMMED) == 0 then return end
  from, to = from or 1, to or #ids
  for first = from, to, 1000 do
    local some, doomed, places = {unpack(ids, first, math.min(first + 999, to))}, {}, {}
    for i, packed in ipairs(call('HMGET', TRIMMED, unpack(some))) do
      if packed then
        doomed[#doomed + 1] = some[i]
        places[#places + 1] = string.match(packed, '^%d+')
      end
    end
    if #doomed > 0 then
      call('HDEL', TRIMMED, unpack(doomed))
      forget_places(places, math.huge)
    end
  end
end

-- Tell searches that these messages are gone; with an epoch (for a session that was not searched
-- before) they are still to be found.
local function unfind(messages, epoch)
  if #messages == 0 then return end
  if epoch and call('HSETNX', SEARCH, 'epoch', epoch) == 1 then
    call('HSET', SEARCH, 'changes', 0)
  end
  if call('EXISTS', SEARCH) == 0 then return end
  local ids, places, kept = {}, {}, {}
  for i, message in ipairs(messages) do
    ids[i], places[i] = message[2], field(message[1])
    kept[2 * i - 1], kept[2 * i] = ids[i], places[i] .. ':' .. message[3]
  end
  if epoch then
    bulk('HSET', TRIMMED, kept)
    -- A rollback may have brought back what lies before others that were trimmed.
    local low = tonumber(call('HGET', SEARCH, 'floor') or nil) or 0
    if messages[#messages][1] > low then call('HSET', SEARCH, 'floor', places[#places]) end
  else
    untrim(ids)  -- an older goldfish may have left it beside the message
    -- The places of the newest are used again.
    local newest = tonumber(call('ZREVRANGE', IDS, 0, 0, 'WITHSCORES')[2] or nil) or 0
    local stay = messages[#messages][1] < newest
    forget_places(places, stay and math.huge or messages[1][1] - 1)
  end
end

local trimming  -- an epoch, while what goes is still to be found
local function set_aside(first, last)
  local messages = ranked(first, last)
  keep(messages)
  unfind(messages, trimming)
end

-- The same for runs of ranks, in order: many short ones are picked out of all that lies between.
local function set_aside_runs(runs)
  if #runs == 1 then return set_aside(runs[1][1], runs[1][2]) end
  local messages, from, to = {}, runs[1][1], runs[#runs][2]
  local between = #runs * 100 > to - from and ranked(from, to)
  for _, run in ipairs(runs) do
    local some = between or ranked(run[1], run[2])
    local first = between and run[1] - from or 0
    for i = 1, run[2] - run[1] + 1 do messages[#messages + 1] = some[first + i] end
  end
  keep(messages)
  unfind(messages, trimming)
end

-- Make the session end in so many ms, or never.
local function set_deadline(left)
  call('DEL', LEFT)
  if not left then
    call('PERSIST', LOG)
    call('PERSIST', IDS)
  elseif call('EXISTS', LOG) == 1 then
    call('PEXPIRE', LOG, left)
    call('PEXPIRE', IDS, left)
  else
    call('SET', LEFT, '1', 'PX', left)
  end
end

local function come_out()
  if call('EXISTS', KEPT) == 0 then return end
  local left = time_left(LOG)
  call('RENAME', KEPT, LOG)
  call('RENAME', KEPT_IDS, IDS)
  if left > 0 then
    call('PEXPIRE', LOG, left)
    call('PEXPIRE', IDS, left)
  else
    set_aside(0, -1)
    call('DEL', LOG, IDS, SEARCH, VECTORS, TRIMMED, STATE, TOKEN)
  end
end

local function hide()
  local left = time_left(LOG)
  if left <= 0 or call('EXISTS', TOP) == 0 then return end
  call('PERSIST', LOG)
  call('PERSIST', IDS)
  call('RENAME', LOG, KEPT)
  call('RENAME', IDS, KEPT_IDS)
  call('SET', LOG, '1', 'PX', left)
end

-- Names and values in turn as one text, each after its length.
local function packed_state()
  local parts = {}
  for i, text in ipairs(call('HGETALL', STATE)) do parts[i] = #text .. ':' .. text end
  return table.concat(parts)
end

-- Make the named values of the session those that were packed, or none.
local function restate(packed)
  local named, at = {}, 1
  while at <= #packed do
    local colon = string.find(packed, ':', at, true)
    local last = colon + tonumber(string.sub(packed, at, colon - 1))
    named[#named + 1] = string.sub(packed, colon + 1, last)
    at = last + 1
  end
  call('DEL', STATE)
  bulk('HSET', STATE, named)
end

-- What searches need ends with the session, and so do its named values and its token.
local function end_together()
  if call('EXISTS', SEARCH, STATE, TOKEN) == 0 then return end
  local left = time_left(LOG)
  if left == -2 then left = time_left(LEFT) end
  for _, key in ipairs({SEARCH, VECTORS, TRIMMED, STATE, TOKEN}) do
    if left > 0 then call('PEXPIRE', key, left) else call('PERSIST', key) end
  end
end

if agree() then
  call('DEL', LOG, LEFT, SEARCH, VECTORS, TRIMMED, STATE, TOKEN)
  if call('EXISTS', KEPT) == 0 then call('DEL', IDS) end
end
come_out()
local floor = math.max(tonumber(call('GET', TOP) or nil) or 0,
  tonumber(call('HGET', SEARCH, 'floor') or nil) or 0)
"""
)

# And ends with this: the work is done, and the messages hide again if they have to.
AFTER = """
local answer = work()
hide()
end_together()
note_parts()
return answer
"""

# A plain script begins with this.
PLAIN = f"""
if redis.call('EXISTS', unpack(KEYS, 4)) > 0 then return {SNAPSHOTS} end
local trimming, PARTS
local floor = 0
local function set_aside() end
local function set_aside_runs() end
local function untrim() end
"""


def both(work: str) -> Write:
    """Return the two scripts of a write that does this work."""
    return Write(Script(PLAIN + AGREE_PLAIN + work), full(work))


def full(work: str) -> Script:
    """Return the script that does this work on any session."""
    return Script(f"{BEFORE}\nlocal function work()\n{work}\nend\n{AFTER}")
