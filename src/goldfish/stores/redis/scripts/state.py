"""The scripts about named values.

The values of a session are a hash under its tag, ``state``, by name: two writers of different names
touch different fields. A name is written as JSON, because a client may decode all that it gets as
text. It ends with the session, for every full script sees to that. What snapshots
show of it is in ``states``, by the snapshot's id, packed: there is little of it, and it is small.
The values of a user are the hash ``state`` under the user's tag. The key ``state-there`` beside it
tells that there are some, so that an evicted hash is not taken for an empty one.
"""

from goldfish.stores.redis.scripts.parts import BULK, DISAGREE
from goldfish.stores.redis.scripts.script import Script
from goldfish.stores.redis.scripts.session import full

# ARGV: the store-wide ttl in ms or '', then names and values in turn.
PUT = full("""
local left = table.remove(ARGV, 1)
bulk('HSET', STATE, ARGV)
if left ~= '' then set_deadline(left) end
""")

USER_NAMES = (b"state", b"state-there")
_OF_USER = f"""
if redis.call('EXISTS', KEYS[2]) > redis.call('EXISTS', KEYS[1]) then
  error('{DISAGREE}: named values')
end
"""

# ARGV: names and values in turn.
PUT_OF_USER = Script(
    _OF_USER
    + BULK
    + """
bulk('HSET', KEYS[1], ARGV)
redis.call('SET', KEYS[2], '1')
"""
)

READ_OF_USER = Script(_OF_USER + "return redis.call('HGETALL', KEYS[1])")
