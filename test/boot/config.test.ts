import { blobStores, configOf } from '../../src/composition/blob-stores.js';
import { ConfigError, type RateLimitStore } from '../../src/config/config.js';

const DATABASE_URL = 'postgres://photos@db.example.com/photos';

/** The store that the environment asks for, or its problems. */
function rateLimitStore(env: Record<string, string>): RateLimitStore | readonly string[] {
  try {
    return configOf(env).rateLimitStore;
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('RATE_LIMIT_STORE', () => {
  test('is the memory of the one process on the embedded database, and the database where there is a server', () => {
    expect(rateLimitStore({})).toEqual({ kind: 'memory' });
    expect(rateLimitStore({ DATABASE_URL })).toEqual({ kind: 'postgres' });
  });

  test('can be chosen on both databases', () => {
    for (const chosen of ['memory', 'postgres']) {
      expect(rateLimitStore({ RATE_LIMIT_STORE: chosen })).toEqual({ kind: chosen });
      expect(rateLimitStore({ RATE_LIMIT_STORE: chosen, DATABASE_URL })).toEqual({ kind: chosen });
    }
  });

  test('may be Redis, which needs its address', () => {
    const REDIS_URL = 'rediss://photos:a-password@cache.example.com:6380/2';
    expect(rateLimitStore({ RATE_LIMIT_STORE: 'redis', REDIS_URL })).toEqual({ kind: 'redis', url: REDIS_URL });
  });

  test('is refused with a sentence that helps when it is another', () => {
    expect(rateLimitStore({ RATE_LIMIT_STORE: 'redis' })).toEqual([
      'REDIS_URL must be set because RATE_LIMIT_STORE is redis.',
    ]);
    expect(rateLimitStore({ RATE_LIMIT_STORE: 'redis', REDIS_URL: 'http://:a-password@cache' })).toEqual([
      'REDIS_URL must be a URL that begins with redis:// or rediss://.',
    ]);
    expect(rateLimitStore({ RATE_LIMIT_STORE: 'etcd' })).toEqual([
      'RATE_LIMIT_STORE must be memory, postgres, redis, not "etcd".',
    ]);
  });
});

test.each([
  ['WEBHOOK_ALLOW_PRIVATE', 'webhookAllowPrivate'],
  ['FETCH_ALLOW_PRIVATE', 'fetchAllowPrivate'],
] as const)('%s is off unless it says true, and takes no other word', (variable, name) => {
  const allowed = (value: string) => configOf({ [variable]: value })[name];
  expect(configOf({})[name]).toBe(false);
  expect([allowed('false'), allowed('true')]).toEqual([false, true]);
  expect(() => allowed('yes')).toThrow(`${variable} must be true, false, not "yes".`);
});

describe('PUBLIC_URL', () => {
  const read = (PUBLIC_URL: string) => configOf({ PUBLIC_URL }).publicUrl;

  test.each([
    ['https://Photos.example.com', 'https://photos.example.com'],
    ['https://photos.example.com:443/', 'https://photos.example.com'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['https://example.com/photos', 'https://example.com/photos'],
    ['https://example.com/photos/', 'https://example.com/photos'],
    ['https://example.com/~anna/my.photos_2', 'https://example.com/~anna/my.photos_2'],
    ['https://example.com/api', 'https://example.com/api'],
    ['', 'http://127.0.0.1:3000'],
  ])('%s is %s', (text, publicUrl) => {
    expect(read(text)).toBe(publicUrl);
  });

  test.each([
    ['ftp://example.com', 'must be a URL that begins with http:// or https://'],
    ['https://anna:a-password@example.com', 'remove everything from the slashes to the @'],
    ['https://anna@example.com/photos', 'remove everything from the slashes to the @'],
    ['https://example.com/photos?', 'remove everything from the first ? or # on'],
    ['https://example.com?a=1', 'remove everything from the first ? or # on'],
    ['https://example.com/photos#a', 'remove everything from the first ? or # on'],
    ['https://example.com/a/../photos', 'must have a path of letters'],
    ['https://example.com/./photos', 'must have a path of letters'],
    ['https://example.com/..', 'must have a path of letters'],
    ['https://example.com/a%2Fphotos', 'must have a path of letters'],
    ['https://example.com/f%C3%B6tos', 'must have a path of letters'],
    ['https://example.com/fötos', 'must have a path of letters'],
    ['https://example.com//photos', 'must have a path of letters'],
    ['https://example.com\\photos', 'must have a path of letters'],
    ['https:/example.com/photos', 'must have a path of letters'],
    ['https://example.com/api/v1/', 'must not contain /api/v1, which clients add themselves: remove it'],
    ['https://example.com/settings', 'must not have a path that begins with /settings, which the service uses itself'],
    ['https://example.com/docs/photos', 'must not have a path that begins with /docs, which the service uses itself'],
  ])('%s is refused with a sentence that says what to do, and repeats no password', (text, sentence) => {
    expect(() => read(text)).toThrow(sentence);
    expect(() => read(text)).not.toThrow('a-password');
  });
});

describe('the bounds of processes that read pictures', () => {
  const mediaOf = (env: Record<string, string>) => configOf(env).media;

  test('are 1 GiB and 60 seconds, or what the environment says', () => {
    expect(mediaOf({})).toEqual({
      isolation: 'auto',
      maxMemoryBytes: 1024 ** 3,
      timeoutMs: 60_000,
      priority: 'idle',
    });
    const bounds = { MEDIA_MEMORY_BYTES: '268435456', MEDIA_TIMEOUT_SECONDS: '5' };
    expect(mediaOf({ ...bounds, MEDIA_ISOLATION: 'user', MEDIA_PRIORITY: 'low' })).toEqual({
      isolation: 'user',
      maxMemoryBytes: 256 * 1024 ** 2,
      timeoutMs: 5000,
      priority: 'low',
    });
  });

  test('cannot be so low that no picture passes', () => {
    expect(() => mediaOf({ MEDIA_MEMORY_BYTES: '1000000' })).toThrow('MEDIA_MEMORY_BYTES must be');
    expect(() => mediaOf({ MEDIA_TIMEOUT_SECONDS: '0' })).toThrow('MEDIA_TIMEOUT_SECONDS must be');
  });
});

describe('NGINX_BLOBS_LOCATION', () => {
  const read = (env: Record<string, string>) => {
    try {
      return configOf(env).blobsLocation;
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    }
  };
  const proxied = { TRUSTED_PROXIES: '127.0.0.1' };

  test('is not set by default, and must be a path', () => {
    expect(read({})).toBeNull();
    expect(read({ ...proxied, NGINX_BLOBS_LOCATION: '/stored-blobs' })).toBe('/stored-blobs');
    for (const path of ['stored', '/', '/stored/', '/a/../b', '/a b', '/a\nb', 'http://a/b']) {
      expect(read({ ...proxied, NGINX_BLOBS_LOCATION: path })).toEqual([expect.stringContaining('must be a path')]);
    }
  });

  test('is for proxies that are trusted, and for files', () => {
    const env = { NGINX_BLOBS_LOCATION: '/stored-blobs', BLOB_STORE: 's3', S3_BUCKET: 'photos' };
    expect(read(env)).toEqual([
      'TRUSTED_PROXIES must be set because NGINX_BLOBS_LOCATION is: only trusted proxies may use it.',
      'NGINX_BLOBS_LOCATION requires BLOB_STORE=local: nginx reads files.',
    ]);
  });
});

describe('BLOB_STORE', () => {
  const bucket = { BLOB_STORE: 's3', S3_BUCKET: 'photos' };

  function s3(env: Record<string, string>): unknown {
    try {
      return configOf(env).blobStore.settings;
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    }
  }

  test('is files under DATA_DIR by default, whatever S3_ variables there are', () => {
    const ofInstallation = { dataDir: null };
    expect(s3({})).toEqual(ofInstallation);
    const env = { BLOB_STORE: 'local', S3_BUCKET: 'photos', S3_ENDPOINT: 'http://127.0.0.1:9000' };
    expect(s3(env)).toEqual(ofInstallation);
  });

  test('s3 needs a bucket, and no more on Amazon', () => {
    expect(s3(bucket)).toEqual({
      endpoint: null,
      region: 'us-east-1',
      bucket: 'photos',
      credentials: null,
      forcePathStyle: false,
      publicEndpoint: null,
    });
  });

  test('s3 is any S3 server by its address, with the bucket in the path unless that is switched off', () => {
    const env = {
      ...bucket,
      S3_ENDPOINT: 'https://s3.example.com',
      S3_REGION: 'eu-west-3',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
      S3_PUBLIC_ENDPOINT: 'https://photos-bytes.example.com',
    };
    expect(s3(env)).toEqual({
      endpoint: 'https://s3.example.com',
      region: 'eu-west-3',
      bucket: 'photos',
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      forcePathStyle: true,
      publicEndpoint: 'https://photos-bytes.example.com',
    });
    expect(s3({ ...env, S3_FORCE_PATH_STYLE: 'false' })).toMatchObject({ forcePathStyle: false });
  });

  test('is refused with everything that is wrong at once, and without any secret', () => {
    const problems = s3({
      BLOB_STORE: 's3',
      S3_ENDPOINT: 's3.example.com',
      S3_SECRET_ACCESS_KEY: 'top-secret',
      S3_FORCE_PATH_STYLE: 'yes',
      S3_PUBLIC_ENDPOINT: 'ftp://example.com',
      PORT: '0',
    });
    expect(problems).toEqual([
      'PORT must be a whole number from 1 to 65535, not "0".',
      'S3_ENDPOINT must be a URL that begins with http:// or https://.',
      'S3_ACCESS_KEY_ID must be set because S3_SECRET_ACCESS_KEY is set.',
      'S3_FORCE_PATH_STYLE must be true, false, not "yes".',
      'S3_BUCKET must be set because BLOB_STORE is s3.',
      'S3_PUBLIC_ENDPOINT must be a URL that begins with http:// or https://.',
    ]);
    const kinds = blobStores.map(({ kind }) => kind).join(', ');
    expect(s3({ BLOB_STORE: 'gcs' })).toEqual([
      `BLOB_STORE must be ${kinds} or the path of a module such as ./my-store.mjs, not "gcs".`,
    ]);
  });
});

test('OPERATOR_API is off, or on', () => {
  const read = (OPERATOR_API?: string) => configOf({ OPERATOR_API }).operatorApi;
  expect([read(), read('off'), read('on')]).toEqual([false, false, true]);
  expect(() => read('true')).toThrow('OPERATOR_API must be on, off');
});

test('MAP_TILES_URL says where the numbers of a tile stand', () => {
  const read = (MAP_TILES_URL?: string) => configOf({ MAP_TILES_URL, MAP_TILES_ATTRIBUTION: '© Maps' }).mapTiles;
  const url = 'https://tiles.example.com/{z}/{x}/{y}.png?key=a';
  expect([read(), read(url)]).toEqual([null, { url, attribution: '© Maps' }]);
  expect(() => read('https://tiles.example.com/{z}.png')).toThrow('MAP_TILES_URL must contain {x} and {y}.');
  expect(() => read('tiles')).toThrow('MAP_TILES_URL must be a URL');
});

test('DOCS is on, or off', () => {
  expect([configOf({}).docs, configOf({ DOCS: 'off' }).docs]).toEqual([true, false]);
  expect(() => configOf({ DOCS: 'no' })).toThrow('DOCS must be on, off');
});

describe('SECURITY_CONTACT', () => {
  const contacts = (value: string) => configOf({ SECURITY_CONTACT: value }).securityContacts;
  const problems = (value: string) => {
    try {
      return contacts(value);
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    }
  };

  test('is empty by default', () => {
    expect(configOf({}).securityContacts).toEqual([]);
  });

  test('is one or several, with commas or spaces between; an e-mail address becomes a URI', () => {
    expect(contacts('security@example.com')).toEqual(['mailto:security@example.com']);
    expect(contacts(' https://example.com/report, mailto:a.b+c@example.com\ttel:+47-555-0100 x@y.example,')).toEqual([
      'https://example.com/report',
      'mailto:a.b+c@example.com',
      'tel:+47-555-0100',
      'mailto:x@y.example',
    ]);
    expect(contacts('MAILTO:a%26b@example.com?subject=Report')).toEqual(['MAILTO:a%26b@example.com?subject=Report']);
  });

  test('is written so that each line of security.txt is one field', () => {
    expect(contacts('https://example.com/b\u00fcro')).toEqual(['https://example.com/b%C3%BCro']);
    expect(contacts('HTTPS://Example.com')).toEqual(['https://example.com/']);
  });

  test.each([
    'somebody',
    'http://example.com',
    'https:example.com',
    'https://',
    'https://user:password@example.com',
    'mailto:',
    'mailto:somebody',
    'a&b@example.com',
    'b\u00fcro@example.com',
    'tel:5550100',
    'ftp://example.com',
    'javascript:alert(1)',
    '@example.com',
    'a@b@c',
  ])('%j is a problem', (value) => {
    expect(problems(value)).toEqual([
      `SECURITY_CONTACT: "${value}" is not an e-mail address or a mailto:, https: or tel: URI.`,
    ]);
  });

  test('each that is wrong is listed, with what else is', () => {
    expect(() => configOf({ SECURITY_CONTACT: 'a@example.com one,two', PORT: '0' })).toThrow(
      /PORT must be .*\n.*"one" is not an e-mail.*\n.*"two" is not an e-mail/,
    );
  });
});

describe('BACKUP_TO', () => {
  const problems = (env: Record<string, string>) => {
    try {
      return configOf(env).backups;
    } catch (error) {
      return (error as ConfigError).problems;
    }
  };

  test('means no automatic backups when it is not set, and settings without effect are reported', () => {
    expect(problems({})).toBeNull();
    expect(problems({ BACKUP_EVERY: '24', BACKUP_KEEP: '3' })).toEqual([
      'BACKUP_EVERY has no effect without BACKUP_TO, the folder for backups.',
      'BACKUP_KEEP has no effect without BACKUP_TO, the folder for backups.',
    ]);
  });

  test('makes one backup a day and keeps those of two weeks, unless the environment says otherwise', () => {
    const folder = '/backups';
    expect(problems({ BACKUP_TO: folder })).toEqual({ folder, everyHours: 24, keep: 14, recipients: [] });
    const told = { BACKUP_EVERY: '6', BACKUP_KEEP: '28', BACKUP_RECIPIENTS: 'age1one, age1two' };
    const recipients = ['age1one', 'age1two'];
    expect(problems({ BACKUP_TO: folder, ...told })).toEqual({ folder, everyHours: 6, keep: 28, recipients });
  });

  test('is refused at the start, and not by the first backup, with an invalid public key of age', () => {
    expect(problems({ BACKUP_TO: '/backups', BACKUP_RECIPIENTS: 'AGE-SECRET-KEY-1X', BACKUP_KEEP: '0' })).toEqual([
      'BACKUP_KEEP must be a whole number from 1 to 10000, not "0".',
      expect.stringMatching(/^BACKUP_RECIPIENTS: .*not a public key of age/),
    ]);
  });
});

describe('SMTP_URL', () => {
  const MAIL_FROM = 'photos@example.com';
  const smtp = (env: Record<string, string>) => configOf({ MAIL_FROM, ...env }).smtp;
  const refused = (env: Record<string, string>) => {
    try {
      return smtp(env);
    } catch (error) {
      return (error as ConfigError).problems;
    }
  };

  test('means no mails when it is not set', () => {
    expect(smtp({})).toBeNull();
  });

  test('has a port of its own for each way of encryption, and says who signs in', () => {
    expect(smtp({ SMTP_URL: 'smtp://us%40er:p%25%2F@mail.example.com' })).toEqual({
      host: 'mail.example.com',
      port: 587,
      implicitTls: false,
      plaintextAllowed: false,
      credentials: { user: 'us@er', pass: 'p%/' },
      from: { name: '', address: 'photos@example.com' },
    });
    expect(smtp({ SMTP_URL: 'smtps://mail.example.com' })).toMatchObject({
      port: 465,
      implicitTls: true,
      credentials: null,
    });
    expect(smtp({ SMTP_URL: 'smtp://mail.example.com:2525' })).toMatchObject({ port: 2525 });
  });

  test.each([
    ['localhost', true],
    ['127.0.0.53', true],
    ['[::1]', true],
    ['127.0.0.1.example.com', false],
    ['192.168.1.5', false],
  ])('%s may do without encryption: %s', (host, allowed) => {
    expect(smtp({ SMTP_URL: `smtp://${host}` })).toMatchObject({ plaintextAllowed: allowed });
    expect(smtp({ SMTP_URL: `smtp://${host}`, SMTP_TLS: 'required' })).toMatchObject({ plaintextAllowed: false });
    expect(smtp({ SMTP_URL: `smtp://${host}`, SMTP_TLS: 'optional' })).toMatchObject({ plaintextAllowed: true });
  });

  test.each([
    ['photos@example.com', '', 'photos@example.com'],
    ['Photos <photos@example.com>', 'Photos', 'photos@example.com'],
    ['"Photos, Inc." <photos@example.com>', 'Photos, Inc.', 'photos@example.com'],
  ])('comes with MAIL_FROM, for example %s', (from, name, address) => {
    expect(smtp({ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: from })?.from).toEqual({ name, address });
  });

  test.each([
    [{ MAIL_FROM: '' }, 'MAIL_FROM must be set because SMTP_URL is set.'],
    [
      { MAIL_FROM: 'a@example.com, b@example.com' },
      'MAIL_FROM must be an address such as photos@example.com, or Photos <photos@example.com>.',
    ],
    [
      { MAIL_FROM: 'Photos' },
      'MAIL_FROM must be an address such as photos@example.com, or Photos <photos@example.com>.',
    ],
    [
      { MAIL_FROM: 'A\nBcc: x <a@example.com>' },
      'MAIL_FROM must be an address such as photos@example.com, or Photos <photos@example.com>.',
    ],
    [{ SMTP_URL: 'http://mail.example.com' }, 'SMTP_URL must be a URL that begins with smtp:// or smtps://.'],
    [
      { SMTP_URL: 'smtp:mail.example.com' },
      'SMTP_URL must name a host, as in smtp://user:password@mail.example.com:587.',
    ],
    [
      { SMTP_URL: 'smtp://a:100%@mail.example.com' },
      'SMTP_URL: a % in the user name or the password must be written as %25.',
    ],
    [{ SMTP_TLS: 'none' }, 'SMTP_TLS must be required, optional, not "none".'],
  ])('is refused with a sentence that helps: %j', (env, problem) => {
    expect(refused({ SMTP_URL: 'smtp://mail.example.com', ...env } as Record<string, string>)).toEqual([problem]);
  });
});
