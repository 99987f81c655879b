/**
 * The rule of core/access/rolling-window.ts on one list of admission times, oldest first: nothing else runs in Redis meanwhile, and the
 * time is Redis's own, so that all processes share one clock. The list expires once it no longer counts.
 *
 * KEYS: the list. ARGV: the limit, the window in milliseconds, 1 to count the call and 0 to peek. Returns: whether it is admitted, how many
 * are counted, the newest of them, the one that blocks the next, and the time; -1 for none.
 */
export const RATE_WINDOW_SCRIPT = `
  local log = KEYS[1]
  local limit, window, counting = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1'
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  local text = string.format('%.0f', now)
  local function at(place) return tonumber(redis.call('LINDEX', log, place) or nil) end

  -- The clock was set back: nothing was admitted in the future, or it would block for longer than one window.
  local ahead = 0
  while (at(-1) or now) > now do
    redis.call('RPOP', log)
    ahead = ahead + 1
  end
  for _ = 1, ahead do redis.call('RPUSH', log, text) end
  while (at(0) or now) <= now - window do redis.call('LPOP', log) end

  local used = redis.call('LLEN', log)
  local admitted = used < limit
  if admitted and counting then used = redis.call('RPUSH', log, text) end
  if ahead > 0 or (admitted and counting) then redis.call('PEXPIRE', log, window + 1000) end
  local blocker = (used >= limit and limit > 0) and at(used - limit) or -1
  return { admitted and 1 or 0, used, at(-1) or -1, blocker, now }
`;
