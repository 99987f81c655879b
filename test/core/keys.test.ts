import { displayPrefix, isExpired, isWellFormedToken, newToken } from '../../src/core/access/api-key.js';
import { hashRandomToken } from '../../src/core/shared/random.js';

describe('a token', () => {
  it('is phs_live_ and 49 base62 characters', () => expect(newToken()).toMatch(/^phs_live_[0-9A-Za-z]{49}$/));
  it('is well formed', () => expect(isWellFormedToken(newToken())).toBe(true));
  it('differs each time', () => expect(new Set(Array.from({ length: 1000 }, newToken)).size).toBe(1000));

  it('is refused with any one character changed', () => {
    const token = newToken();
    for (let at = 'phs_live_'.length; at < token.length; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A';
      expect(isWellFormedToken(token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
    }
  });

  it.each([
    '',
    'phs_live_',
    `phs_test_${newToken().slice(9)}`,
    `${newToken()}x`,
    newToken().slice(0, -1),
    ` ${newToken()}`,
  ])('%p is none', (text) => expect(isWellFormedToken(text)).toBe(false));

  it('has the CRC-32 that zlib computes', () => {
    // CRC-32 of 43 ASCII zeros, 0x7849568f, in base62.
    expect(isWellFormedToken(`phs_live_${'0'.repeat(43)}2CZclj`)).toBe(true);
  });

  it('is kept as its SHA-256', () => expect(hashRandomToken('abc')).toMatch(/^ba7816bf8f01cfea414140de5dae2223/));
  it('is shown by its last four', () => expect(displayPrefix({ lastFour: 'x7Qa' })).toBe('phs_live_…x7Qa'));
});

describe('expiry', () => {
  const at = new Date('2026-11-21T12:00:00Z');
  it('ends the key at its very moment', () => expect(isExpired({ expiresAt: at }, at)).toBe(true));
  it('does not end it before', () => expect(isExpired({ expiresAt: at }, new Date(at.getTime() - 1))).toBe(false));
  it('never comes without a time', () => expect(isExpired({ expiresAt: null }, at)).toBe(false));
});
