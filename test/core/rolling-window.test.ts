import fc from 'fast-check';
import { admit, observe, WINDOW_MS } from '../../src/core/access/rolling-window.js';

const NOW = 1_795_230_923_004;

function burst(count: number, limit: number, at = NOW) {
  let log: readonly number[] = [];
  const states = Array.from({ length: count }, () => {
    const step = admit(log, limit, at);
    log = step.log;
    return step.state;
  });
  return { log, states };
}

describe('the rolling window (API.md §4.3)', () => {
  it('admits exactly the limit', () => {
    const { states } = burst(100, 30);
    expect(states.filter((state) => state.allowed)).toHaveLength(30);
  });

  it('says what is left after this request', () => {
    expect(burst(1, 300).states[0]).toMatchObject({ limit: 300, remaining: 299 });
  });

  it('resets when the newest counted request leaves the window, rounded up', () => {
    expect(burst(1, 300).states[0]?.reset).toBe(Math.ceil((NOW + WINDOW_MS) / 1000));
  });

  it('reports an untouched budget as reset now', () => {
    expect(observe([], 30, NOW)).toEqual({
      allowed: true,
      limit: 30,
      remaining: 30,
      reset: Math.ceil(NOW / 1000),
      retryAfter: null,
    });
  });

  it('admits again after Retry-After, and not one millisecond before the oldest leaves', () => {
    const { log } = burst(30, 30);
    const refused = admit(log, 30, NOW + 10_500).state;
    expect(refused).toMatchObject({ allowed: false, remaining: 0, retryAfter: 50 });
    expect(admit(log, 30, NOW + WINDOW_MS - 1).state.allowed).toBe(false);
    expect(admit(log, 30, NOW + 10_500 + 50_000).state.allowed).toBe(true);
  });

  it('does not count what it refuses', () => {
    const { log } = burst(30, 30);
    expect(admit(log, 30, NOW + 1).log).toEqual(log);
  });

  it('blocks a limit of 0 for good', () => {
    expect(admit([], 0, NOW).state).toMatchObject({ allowed: false, remaining: 0, retryAfter: 60 });
  });

  it('locks nobody out for longer than one window after the clock jumped back', () => {
    const { log } = burst(30, 30, NOW + 3_600_000);
    const refused = admit(log, 30, NOW);
    expect(refused.state).toMatchObject({ allowed: false, retryAfter: 60 });
    expect(admit(refused.log, 30, NOW + WINDOW_MS).state.allowed).toBe(true);
  });

  it('waits for the right one when a limit was lowered', () => {
    const log = [NOW, NOW + 1000, NOW + 2000];
    expect(admit(log, 2, NOW + 3000).state.retryAfter).toBe(58);
  });

  it('never admits more than the limit in any window, and always after Retry-After', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 }),
        fc.integer({ min: 1, max: 8 }),
        (gaps, limit) => {
          let log: readonly number[] = [];
          let now = NOW;
          const admitted: number[] = [];
          for (const gap of gaps) {
            now += gap;
            const step = admit(log, limit, now);
            log = step.log;
            if (step.state.allowed) admitted.push(now);
            else {
              const later = now + (step.state.retryAfter ?? 0) * 1000;
              expect(admit(log, limit, later).state.allowed).toBe(true);
              expect(later).toBeLessThanOrEqual(step.state.reset * 1000 + 1000);
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
