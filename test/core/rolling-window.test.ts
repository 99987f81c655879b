import fc from 'fast-check';
import { AdmissionLog, WINDOW_MS } from '../../src/core/access/rolling-window.js';

const NOW = 1_795_230_923_004;

function burst(count: number, limit: number, at = NOW) {
  const log = new AdmissionLog();
  const states = Array.from({ length: count }, () => log.hit(limit, at));
  return { log, states };
}

describe('the rolling window', () => {
  it('admits exactly the limit', () => {
    const { states } = burst(100, 30);
    expect(states.filter((state) => state.allowed)).toHaveLength(30);
  });

  it('reports the remainder after this request', () => {
    expect(burst(1, 300).states[0]).toMatchObject({ limit: 300, remaining: 299 });
  });

  it('resets when the newest counted request leaves the window, rounded up', () => {
    expect(burst(1, 300).states[0]?.reset).toBe(Math.ceil((NOW + WINDOW_MS) / 1000));
  });

  it('reports an untouched budget as reset now', () => {
    expect(new AdmissionLog().peek(30, NOW)).toEqual({
      allowed: true,
      limit: 30,
      remaining: 30,
      reset: Math.ceil(NOW / 1000),
      retryAfter: null,
    });
  });

  it('admits again after Retry-After, and not one millisecond before the oldest leaves', () => {
    const { log } = burst(30, 30);
    expect(log.hit(30, NOW + 10_500)).toMatchObject({ allowed: false, remaining: 0, retryAfter: 50 });
    expect(log.hit(30, NOW + WINDOW_MS - 1).allowed).toBe(false);
    expect(log.hit(30, NOW + 10_500 + 50_000).allowed).toBe(true);
  });

  it('does not count requests that it refuses', () => {
    const { log } = burst(30, 30);
    for (const late of [1, 2, 3]) expect(log.hit(30, NOW + late).allowed).toBe(false);
    expect(log.hit(30, NOW + WINDOW_MS)).toMatchObject({ allowed: true, remaining: 29 });
  });

  it('blocks a limit of 0 permanently', () => {
    expect(new AdmissionLog().hit(0, NOW)).toMatchObject({ allowed: false, remaining: 0, retryAfter: 60 });
  });

  it('blocks no one for longer than one window after the clock jumped back', () => {
    const { log } = burst(30, 30, NOW + 3_600_000);
    expect(log.hit(30, NOW)).toMatchObject({ allowed: false, retryAfter: 60 });
    expect(log.hit(30, NOW + WINDOW_MS).allowed).toBe(true);
  });

  it('reports the reset by the wall clock, and waits by the monotonic one', () => {
    const log = new AdmissionLog();
    expect(log.hit(1, 500, NOW)).toMatchObject({ allowed: true, reset: Math.ceil((NOW + WINDOW_MS) / 1000) });
    const refused = log.hit(1, 10_500, NOW - 3_600_000);
    expect(refused).toMatchObject({ allowed: false, retryAfter: 50 });
    expect(refused.reset).toBe(Math.ceil((NOW - 3_600_000 + 50_000) / 1000));
  });

  it('computes the wait from the right request when the limit was lowered', () => {
    const log = new AdmissionLog([NOW, NOW + 1000, NOW + 2000]);
    expect(log.hit(2, NOW + 3000).retryAfter).toBe(58);
  });

  it('never admits more than the limit in any window, and always admits after Retry-After', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 }),
        fc.integer({ min: 1, max: 8 }),
        (gaps, limit) => {
          const log = new AdmissionLog();
          let now = NOW;
          const admitted: number[] = [];
          for (const gap of gaps) {
            now += gap;
            const state = log.hit(limit, now);
            if (state.allowed) admitted.push(now);
            else {
              const later = now + (state.retryAfter ?? 0) * 1000;
              // The whole log again, for a call in the future makes it forget.
              const ahead = new AdmissionLog(admitted);
              expect(ahead.peek(limit, later - 1000).allowed).toBe(false);
              expect(ahead.peek(limit, later).allowed).toBe(true);
              expect(later).toBeLessThanOrEqual(state.reset * 1000 + 1000);
            }
          }
          for (const from of admitted) {
            expect(admitted.filter((at) => at >= from && at < from + WINDOW_MS).length).toBeLessThanOrEqual(limit);
          }
        },
      ),
    );
  });
});
