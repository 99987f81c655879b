-- For wrk: each request with the key of the next customer. TOKENS names a file with one token on each line.
local tokens = {}
for token in io.lines(os.getenv('TOKENS')) do tokens[#tokens + 1] = token end

local last = 0
request = function()
  last = last % #tokens + 1
  return wrk.format('GET', nil, { Authorization = 'Bearer ' .. tokens[last] })
end
