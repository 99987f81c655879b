import { ConfigError, readConfig } from '../../src/config.js';

const DATABASE_URL = 'postgres://photos@db.example.com/photos';

/** The store that the environment asks for, or its problems. */
function rateLimitStore(env: Record<string, string>): string | readonly string[] {
  try {
    return readConfig(env).rateLimitStore;
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('RATE_LIMIT_STORE', () => {
  test('is the memory of the one process on the embedded database, and the database where there is a server', () => {
    expect(rateLimitStore({})).toBe('memory');
    expect(rateLimitStore({ DATABASE_URL })).toBe('postgres');
  });

  test('can be chosen on both', () => {
    for (const chosen of ['memory', 'postgres']) {
      expect(rateLimitStore({ RATE_LIMIT_STORE: chosen })).toBe(chosen);
      expect(rateLimitStore({ RATE_LIMIT_STORE: chosen, DATABASE_URL })).toBe(chosen);
    }
  });

  test('is refused with a sentence that helps when it is another', () => {
    expect(rateLimitStore({ RATE_LIMIT_STORE: 'redis' })).toEqual([
      'RATE_LIMIT_STORE cannot be redis in this version. Use postgres, which is exact over any number of processes.',
    ]);
    expect(rateLimitStore({ RATE_LIMIT_STORE: 'etcd' })).toEqual([
      'RATE_LIMIT_STORE must be memory, postgres, not "etcd".',
    ]);
  });
});

test('WEBHOOK_ALLOW_PRIVATE is off unless it says true, and takes no other word', () => {
  const allowed = (value: string) => readConfig({ WEBHOOK_ALLOW_PRIVATE: value }).webhookAllowPrivate;
  expect(readConfig({}).webhookAllowPrivate).toBe(false);
  expect([allowed('false'), allowed('true')]).toEqual([false, true]);
  expect(() => allowed('yes')).toThrow('WEBHOOK_ALLOW_PRIVATE must be true, false, not "yes".');
});

describe('the bounds of what reads pictures', () => {
  const mediaOf = (env: Record<string, string>) => readConfig(env).media;

  test('are 1 GiB and 60 seconds, or what the environment says', () => {
    expect(mediaOf({})).toEqual({ maxMemoryBytes: 1024 ** 3, timeoutMs: 60_000 });
    expect(mediaOf({ MEDIA_MEMORY_BYTES: '268435456', MEDIA_TIMEOUT_SECONDS: '5' })).toEqual({
      maxMemoryBytes: 256 * 1024 ** 2,
      timeoutMs: 5000,
    });
  });

  test('cannot be so low that no picture passes', () => {
    expect(() => mediaOf({ MEDIA_MEMORY_BYTES: '1000000' })).toThrow('MEDIA_MEMORY_BYTES must be');
    expect(() => mediaOf({ MEDIA_TIMEOUT_SECONDS: '0' })).toThrow('MEDIA_TIMEOUT_SECONDS must be');
  });
});
