"""The scripts that write and read what searches need.

A session that is searched, or was written by a store that searches, has under its hash tag:

- ``search``: a hash of an ``epoch``, which is new with the key, how many ``changes`` took something
  away or brought it back since, the ``model`` of the vectors, and the ``floor``: the newest place
  (see ``session``) of a trimmed message;
- ``vectors``: a hash by place, in base64, because a client may decode all that it gets as text;
- ``trimmed``: a hash by id of trimmed messages that are still to be found: the place, the body.

They end with the session.
"""

from goldfish.stores.redis.scripts.messages import ADD
from goldfish.stores.redis.scripts.parts import ASCII
from goldfish.stores.redis.scripts.session import full

_NOTE = """
local function note(epoch, model)
  local stored = call('HGET', SEARCH, 'model')
  if stored and model and stored ~= model then return stored end
  if call('HSETNX', SEARCH, 'epoch', epoch) == 1 then call('HSET', SEARCH, 'changes', 0) end
  if model then call('HSET', SEARCH, 'model', model) end
end

local function present()
  return call('HGET', SEARCH, 'epoch') .. '.' .. call('HGET', SEARCH, 'changes')
end
"""

# ARGV: what an append has, then all vectors, how many, an epoch and the model.
# Another model whose vectors are there, or nothing.
APPEND = full(f"""
{_NOTE}
local model, epoch, many = table.remove(ARGV), table.remove(ARGV), tonumber(table.remove(ARGV))
local other = note(epoch, model)
if other then return other end
local vectors = {{}}
for i = many, 1, -1 do vectors[i] = table.remove(ARGV) end
{ADD}
for i = 1, count do
  local place = tonumber(call('ZSCORE', IDS, ARGV[1 + i]))
  if place == base + i then call('HSET', VECTORS, field(place), vectors[i]) end
end
""")

# ARGV: the epoch and the newest place that are known, and an epoch in case there is none.
# Epoch, newest place, after which place the rest follows, model; then place, id, body, vectors.
READ = full(f"""
{_NOTE}
{ASCII}
if call('LLEN', LOG) == 0 and call('EXISTS', TRIMMED) == 0 then return {{}} end
note(ARGV[3])
local epoch = present()
local last = tonumber(call('ZREVRANGE', IDS, 0, 0, 'WITHSCORES')[2] or nil) or -1
local low = tonumber(call('HGET', SEARCH, 'floor') or nil) or -1
local newest = math.max(last, low)
local since = epoch == ARGV[1] and tonumber(ARGV[2]) or -1
local answer = {{epoch, newest, since, call('HGET', SEARCH, 'model')}}
if since == newest then return answer end

local said = ranked(call('ZCOUNT', IDS, '-inf', since), -1)
if low > since then
  local trimmed = call('HGETALL', TRIMMED)
  for i = 1, #trimmed, 2 do
    local colon = string.find(trimmed[i + 1], ':', 1, true)
    local place = tonumber(string.sub(trimmed[i + 1], 1, colon - 1))
    if place > since then
      said[#said + 1] = {{place, trimmed[i], string.sub(trimmed[i + 1], colon + 1)}}
    end
  end
end
for first = 1, #said, 1000 do
  local places = {{}}
  for i = first, math.min(first + 999, #said) do places[#places + 1] = field(said[i][1]) end
  for i, vectors in ipairs(call('HMGET', VECTORS, unpack(places))) do
    local message = said[first + i - 1]
    answer[#answer + 1], answer[#answer + 2] = message[1], ascii(message[2])
    answer[#answer + 1], answer[#answer + 2] = message[3], vectors
  end
end
return answer
""")

# ARGV: the epoch, the model, then places and vectors in turn. Another model, or nothing.
EMBED = full(f"""
{_NOTE}
if call('EXISTS', SEARCH) == 0 or present() ~= ARGV[1] then return end
local other = note('', ARGV[2])
if other then return other end
bulk('HSET', VECTORS, {{unpack(ARGV, 3)}})
""")

FORGET = full("""
local many = call('HLEN', VECTORS)
call('DEL', VECTORS)
call('HDEL', SEARCH, 'model')
call('HINCRBY', SEARCH, 'changes', 1)
return many
""")
