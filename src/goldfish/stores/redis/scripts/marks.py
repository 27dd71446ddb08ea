"""The Lua for blocks of marks in a hash: see ``stores/retrieval/blocks.py``.

Under ``marks:`` and the number of a block the hash has the directory of the block (seq, said_at and
bytes of each) and on the next line the marks, in base64.
"""

from goldfish.stores.retrieval.blocks import SPAN

MARKS = f"""
local SPAN = {SPAN}
local function block(seq)
  return string.format('marks:%.0f', math.floor(tonumber(seq) / SPAN))
end

-- The texts in a block, each with seq, said_at and marks.
local function read_block(key, field)
  local stored, found, at = redis.call('HGET', key, field), {{}}, 1
  if not stored then return found end
  local line = string.find(stored, '\\n', 1, true)
  local data = string.sub(stored, line + 1)
  for seq, said_at, size in string.gmatch(string.sub(stored, 1, line), '(%d+) (%d+) (%d+)') do
    local length = tonumber(size) * 4 / 3
    found[#found + 1] = {{seq, said_at, string.sub(data, at, at + length - 1)}}
    at = at + length
  end
  return found
end

-- Which text the marks of each belong to.
local function marked_texts(key)
  local texts, all = {{}}, redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 6) == 'marks:' then
      local line = string.find(all[i + 1], '\\n', 1, true)
      for seq, said_at in string.gmatch(string.sub(all[i + 1], 1, line), '(%d+) (%d+) %d+') do
        texts[seq] = said_at
      end
    end
  end
  return texts
end

-- Replace the marks of texts, each with seq, said_at and marks; without marks, remove them.
local function mark_all(key, texts)
  local blocks = {{}}
  for _, text in ipairs(texts) do
    local name = block(text[1])
    blocks[name] = blocks[name] or {{}}
    table.insert(blocks[name], text)
  end
  for name, some in pairs(blocks) do
    local new, all, directory, data = {{}}, {{}}, {{}}, {{}}
    for _, text in ipairs(some) do
      new[text[1]] = true
      if text[3] then all[#all + 1] = text end
    end
    for _, text in ipairs(read_block(key, name)) do
      if not new[text[1]] then all[#all + 1] = text end
    end
    table.sort(all, function(one, other) return tonumber(one[1]) < tonumber(other[1]) end)
    for i, text in ipairs(all) do
      directory[i] = string.format('%s %s %.0f', text[1], text[2], #text[3] * 3 / 4)
      data[i] = text[3]
    end
    if #all == 0 then
      redis.call('HDEL', key, name)
    else
      redis.call('HSET', key, name, table.concat(directory, ' ') .. '\\n' .. table.concat(data))
    end
  end
end

local function unmark_all(key)
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, 1, 6) == 'marks:' then redis.call('HDEL', key, field) end
  end
end
"""
