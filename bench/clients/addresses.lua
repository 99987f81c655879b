-- For wrk: asks for one address after the other. PATHS names a file with one path on each line.
local paths = {}
for path in io.lines(os.getenv('PATHS')) do paths[#paths + 1] = path end

local last = 0
request = function()
  last = last % #paths + 1
  return wrk.format('GET', paths[last])
end
