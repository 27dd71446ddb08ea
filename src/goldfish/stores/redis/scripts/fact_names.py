"""The scripts about facts with names, which are found and replaced by the key of the name."""

from goldfish.stores.facts.encoding import BIRTH
from goldfish.stores.redis.scripts.script import Script
from goldfish.stores.redis.scripts.user import READING, WRITING

# ARGV: key. Whether facts may lack names, and the fact.
FIND_NAMED = Script(
    READING
    + """
if over then return {0, {}} end
local seq = call('HGET', HOLDERS, ARGV[1])
return {lacks_names() and 1 or 0, seq and living(seq) or {}}
"""
)

# ARGV: as for REMEMBER; whether former ones are given, and their ids.
REPLACE = Script(
    WRITING
    + f"""
local other = admit(ARGV[6], ARGV[8])
if other then return {{'other model', other}} end
if ARGV[11] == '0' and lacks_names() then return {{'unnamed', ''}} end
local base, holder = ARGV[3], call('HGET', HOLDERS, ARGV[2])
local gone = {{holder or nil}}
if holder then
  base = string.sub(lines(call('HGET', ROWS, holder))[6], 1, {BIRTH})
    .. string.sub(base, {BIRTH} + 1)
end
for i = 12, #ARGV do gone[#gone + 1] = call('HGET', IDS, ARGV[i]) or nil end
local removed = {{}}
for _, seq in ipairs(gone) do
  if not removed[seq] then
    removed[seq] = true
    remove(seq)
    call('HINCRBY', META, 'removals', 1)
  end
end
local seq = add(ARGV[1], ARGV[2], base, ARGV[4], ARGV[7], ARGV[10])
if ARGV[5] ~= '' then call('ZADD', ENDS, whole(now + tonumber(ARGV[5])), seq) end
if not lacks_names() then call('HSET', META, 'named', call('HGET', META, 'version')) end
finish()
return {{'done', ARGV[1]}}
"""
)
