"""The keys of a session in Redis, and the Lua that notices when some of them are missing.

A server that is short of memory may evict single keys: the messages go and their ids stay, or the
other way round. What is left is no answer to anything, so every script first sees that the keys
agree, and raises ``DISAGREE`` if they do not. Two rules tell:

- the list of messages and the sorted set of their ids are equally long;
- a session that has more than these two has the key ``parts``: how many of the keys that end with
  the session there are, how many of those that snapshots need, and the deadline in ms, or 0.
  Writers keep it up to date. Sessions of an older goldfish get it with the next such write; until
  then only keys that always come together are compared.

A server that evicts only keys with a deadline can drop a whole session that has one. There the
scripts are ``lasting``: each such session has ``parts``, without a deadline of its own, so it is
known that the session was there. After the session's end the next write removes it, or a sweep.

Keys of one session may end a moment apart on old servers, so in the last moment before a deadline
the session counts as over.
"""

NAMES = (
    *(b"log", b"ids", b"left", b"top", b"snaps", b"saved"),
    *(b"lives", b"open", b"refs", b"gone", b"kept", b"kept-ids"),
    *(b"search", b"vectors", b"trimmed"),  # ``search`` says what they are
    *(b"state", b"states"),  # ``state`` says what they are
    *(b"token", b"parts"),  # of the call that forked the session; see above
)

# What a plain script gets: the first three, and one key of each kind that it must not meet.
PLAIN_NAMES = (b"log", b"ids", b"left", b"top", b"search", b"state", b"token", b"parts")

DISAGREE = "goldfish: keys disagree"
MOMENT = 3  # ms

# One command with many arguments, some at a time.
BULK = """
local function bulk(command, key, arguments)
  for first = 1, #arguments, 1000 do
    redis.call(command, key, unpack(arguments, first, math.min(first + 999, #arguments)))
  end
end
"""

# An id in ASCII, each as another text: a client may decode all that it gets, which an id need not
# stand.
ASCII = """
local BEYOND_ASCII = '[%%' .. string.char(128) .. '-' .. string.char(255) .. ']'
local function escape(byte) return string.format('%%%02x', string.byte(byte)) end
local function ascii(id) return (string.gsub(id, BEYOND_ASCII, escape)) end
"""

# The ms until a key ends, -1 if it has no deadline, -2 if it is not there. In its last moment it
# is not 0, which would read as no deadline.
TIME_LEFT = """
local function time_left(key)
  local left = redis.call('PTTL', key)
  return left == 0 and 1 or left
end
"""

# Whether the messages and their ids, if they are not equally many, are about to end; else raise.
ENDING = f"""
{TIME_LEFT}
local function disagree(what) error('{DISAGREE}: ' .. what) end

local function ending(log, ids)
  local left = math.max(time_left(log), time_left(ids))
  if redis.call('EXISTS', log, ids) == 1 and left >= 0 and left <= {MOMENT} then return true end
  disagree('messages and ids')
end
"""

# For plain scripts: a remainder that is about to end is removed.
AGREE_PLAIN = (
    ENDING
    + """
if redis.call('LLEN', KEYS[1]) ~= redis.call('ZCARD', KEYS[2]) and ending(KEYS[1], KEYS[2]) then
  redis.call('DEL', KEYS[1], KEYS[2])
end
"""
)

# For all others: names for the keys, and agree(), which tells whether the session is over.
AGREE = (
    """
local LOG, IDS, LEFT, TOP, SNAPS, SAVED, LIVES, OPEN, REFS, GONE, KEPT, KEPT_IDS,
  SEARCH, VECTORS, TRIMMED, STATE, STATES, TOKEN, PARTS = unpack(KEYS)
local call = redis.call
local clock = call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)

local function field(place) return string.format('%d', tonumber(place)) end

local function ending_keys()
  return call('EXISTS', LOG, IDS, LEFT, SEARCH, VECTORS, TRIMMED, STATE, TOKEN)
end

local function snapshot_keys()
  return call('EXISTS', TOP, SNAPS, SAVED, LIVES, OPEN, REFS, GONE, KEPT, KEPT_IDS, STATES)
end
"""
    + ENDING
    + f"""
-- As many keys as were noted; without a note, keys that always come together.
local function agree_in_number()
  local ending, lasting = ending_keys(), snapshot_keys()
  local noted = call('GET', PARTS)
  if noted then
    local ends, lasts, due = string.match(noted, '^(%d+) (%d+) (%d+)$')
    local over = tonumber(due) > 0 and now >= tonumber(due) - {MOMENT}
    if tonumber(lasts) ~= lasting then disagree('snapshots') end
    if not over and tonumber(ends) ~= ending then disagree('parts') end
    return over
  end
  local known = call('EXISTS', TOP, SNAPS, SAVED)
  if known % 3 ~= 0 or (known == 0 and lasting > 0) then disagree('snapshots') end
  if call('ZCARD', SNAPS) ~= math.max(call('HLEN', SAVED) - 1, 0) then disagree('snapshots') end
  if call('HLEN', REFS) > call('HLEN', GONE) + call('ZCARD', OPEN) then disagree('snapshots') end
  if call('EXISTS', VECTORS, TRIMMED) > 2 * call('EXISTS', SEARCH) then disagree('search') end
  return false
end

-- Raise if the keys of the session disagree. Whether it has ended, as far as its keys tell.
local function agree()
  local over = agree_in_number()
  if call('EXISTS', KEPT, KEPT_IDS) > 0 then
    if call('LLEN', KEPT) ~= call('ZCARD', KEPT_IDS) then disagree('messages and ids') end
  elseif call('TYPE', LOG).ok == 'string' then
    disagree('messages and ids')
  elseif call('LLEN', LOG) ~= call('ZCARD', IDS) then
    return ending(LOG, IDS)
  end
  return over
end
"""
)

# For full scripts, at their end: note what there is, unless messages and ids tell all.
NOTE_PARTS = f"""
local function note_parts()
  local ending, lasting = ending_keys(), snapshot_keys()
  local left = time_left(LOG)
  if left == -2 then left = time_left(LEFT) end
  if lasting == 0 and ending == call('EXISTS', LOG, IDS) and not (LASTING and left > 0) then
    return call('DEL', PARTS)
  end
  local due, noted = left > 0 and now + left or 0, call('GET', PARTS)
  local ends, lasts, before = string.match(noted or '', '^(%d+) (%d+) (%d+)$')
  if tonumber(ends) ~= ending or tonumber(lasts) ~= lasting
    or math.abs(tonumber(before) - due) > {MOMENT} then
    call('SET', PARTS, ending .. ' ' .. lasting .. ' ' .. field(due))
  end
  if LASTING or lasting > 0 or left <= 0 then
    call('PERSIST', PARTS)
  else
    call('PEXPIRE', PARTS, left)
  end
end
"""
