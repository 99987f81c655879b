import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { DatabaseState } from '../../adapters/typeorm/database-state.js';
import type { Config, SmtpConfig } from '../../config/config.js';
import { BeforeFirstRelease, isBeforeFirstRelease } from '../../core/backup/before-first-release.js';
import { inOneChunk } from '../../core/blobs/blob-bytes.js';
import { type BlobKey, isBlobKey } from '../../core/blobs/blob-key.js';
import type { BlobStore } from '../../core/blobs/blob-store.js';
import type { Mailer } from '../../core/mail/mail.js';
import { acceptedFormats } from '../../core/media/formats.js';
import type { MediaIsolation, MediaReader } from '../../core/media/media-reader.js';
import type { IdentityProvider } from '../../core/users/identity-provider.js';
import { type Finding, fail, findingOf, ok, warn } from './finding.js';

/** Leases use the database's clock, signatures and cursors the node's. */
const NOTED_SKEW_MS = 2_000;
const HARMFUL_SKEW_MS = 30_000;

export function judgeDatabase(state: DatabaseState): readonly Finding[] {
  const { version, encoding, readOnly, aheadMs, rowSecurity } = state;
  const server = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}`;
  const findings: Finding[] = [
    version < 150_000 || encoding !== 'UTF8'
      ? fail('database', `${server}, ${encoding}`, 'PostgreSQL 15 or newer with the encoding UTF8 is required.')
      : ok('database', server),
  ];
  const primary = 'DATABASE_URL must point to the primary server, not a replica; check default_transaction_read_only.';
  if (readOnly) findings.push(fail('database', 'It is read-only.', primary));
  const skew = `The clock of the database is ${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of this machine`;
  const advice =
    'Synchronize both with NTP: signed URLs, cursors and expiry use one clock, leases and rate limits the other.';
  if (Math.abs(aheadMs) > HARMFUL_SKEW_MS) findings.push(fail('clocks', `${skew}.`, advice));
  else if (Math.abs(aheadMs) > NOTED_SKEW_MS) findings.push(warn('clocks', `${skew}.`, advice));
  else findings.push(ok('clocks', skew));
  findings.push(judgeMigrations(state));
  if (rowSecurity?.role) findings.push(ok('row security', `customer transactions run as ${rowSecurity.role}`));
  else if (rowSecurity) {
    const message =
      'The database does not enforce the separation of customers: transactions run as the owner of the tables.';
    findings.push(warn('row security', message, `${rowSecurity.remedy} Then restart the service.`));
  }
  return findings;
}

function judgeMigrations({ pending, unknown }: DatabaseState): Finding {
  if (isBeforeFirstRelease(unknown)) {
    const { finding, advice } = new BeforeFirstRelease('database');
    return fail('migrations', finding, advice);
  }
  const newer = `The database was migrated by a newer version of this program (${unknown.join(', ')}).`;
  if (unknown.length > 0) return fail('migrations', newer, 'Run the newer version.');
  if (pending.length === 0) return ok('migrations', 'up to date');
  return warn('migrations', `${pending.length} pending.`, 'Run phs migrate, or start the service.');
}

export function checkLimiter(config: Pick<Config, 'rateLimitStore' | 'databaseUrl' | 'role'>): Finding {
  const { rateLimitStore, databaseUrl, role } = config;
  const { kind } = rateLimitStore;
  if (kind !== 'memory' || (databaseUrl === null && role === 'all')) return ok('rate limits', `counted in ${kind}`);
  const message = 'Each process counts separately: with several processes, a key gets its budget from each.';
  return warn('rate limits', message, 'Set RATE_LIMIT_STORE=postgres if there is more than one process.');
}

/** Puts, reads, lists and deletes a few bytes under a name that no one else uses. */
export async function checkBlobs(blobs: BlobStore, where: string): Promise<readonly Finding[]> {
  const key = `doctor/${randomBytes(8).toString('hex')}`;
  if (!isBlobKey(key)) throw new Error(`Not a blob key: ${key}`);
  const failed = (how: string, advice: string) => [fail('blob store', `${where} ${how}.`, advice)];
  const bytes = randomBytes(1000);
  await blobs.put(key, inOneChunk(bytes));
  try {
    const back = await blobs.get(key);
    if (back === null || !bytes.equals(await buffer(back.bytes)))
      return failed('returned different bytes than were stored', 'Do not use this store: photos would be lost.');
    const listed: BlobKey[] = [];
    for await (const blob of blobs.list('doctor/')) listed.push(blob.key);
    if (!listed.includes(key)) return failed('does not list its contents', 'Allow listing.');
  } finally {
    await blobs.delete([key]);
  }
  if ((await blobs.head(key)) !== null) return failed('does not delete objects', 'Allow deleting.');
  return [ok('blob store', where)];
}

/** Asks each provider for its addresses, as the first sign-in does. */
export async function checkProviders(
  providers: readonly IdentityProvider[],
  publicUrl: string,
): Promise<readonly Finding[]> {
  const request = { state: 'doctor', nonce: 'doctor', verifier: randomBytes(32).toString('base64url'), isFresh: false };
  const findings = providers.map((provider) => {
    const { name, issuer } = provider.settings;
    const advice = `Check OIDC_* and whether ${issuer} can be reached from here; until then no one can sign in with ${name}.`;
    return findingOf('sign-in', advice, async () => {
      await provider.start({ ...request, returnTo: `${publicUrl}/settings` });
      return [ok('sign-in', `${name}, ${issuer}`)];
    });
  });
  return (await Promise.all(findings)).flat();
}

/** Judges what a picture that takes over its reader could reach. */
export function judgeIsolation({ level, refused }: MediaIsolation): Finding {
  const reasons = refused.map((each) => ` ${each.level} does not work: ${each.reason}`).join('');
  if (level === 'sandbox') return ok('isolation', 'sandbox: a media process can access only its image');
  const reach = {
    user: 'whatever every user can read, and the network',
    process: 'everything that the service itself can',
  };
  const message = `${level}: a compromised media process can access ${reach[level]}.${reasons}`;
  return warn(
    'isolation',
    message,
    'Install bubblewrap, or allow it to create namespaces: docs/operations.md, "Isolation of picture readers".',
  );
}

/** Reads a tiny picture of each format in the processes that read pictures. */
export async function checkMedia(media: MediaReader, maxPixels: number): Promise<readonly Finding[]> {
  const read: string[] = [];
  const findings: Finding[] = [];
  for (const { contentType, sample } of acceptedFormats) {
    if (sample === undefined) continue;
    if (!media.formats.includes(contentType)) {
      const advice = 'Install the optional packages: npm ci without --omit=optional.';
      findings.push(warn('pictures', `${contentType} is not supported by this build.`, advice));
      continue;
    }
    const bytes = Buffer.from(sample, 'base64url');
    const inspection = await media.inspect(inOneChunk(bytes), { customerId: 0, maxPixels });
    if (inspection.outcome === 'picture' && inspection.facts.contentType === contentType) read.push(contentType);
    else findings.push(fail('pictures', `A ${contentType} could not be read.`, 'Reinstall the packages: npm ci.'));
  }
  return [...findings, ok('pictures', `read ${read.map((type) => type.replace('image/', '')).join(', ')}`)];
}

/** Sends no mail. */
export function checkMail(
  { host, port, from }: Pick<SmtpConfig, 'host' | 'port' | 'from'>,
  mailer: Pick<Mailer, 'check'>,
): Promise<readonly Finding[]> {
  const advice = 'Check SMTP_URL and SMTP_TLS; until the server can be used, mails wait for up to a day.';
  return findingOf('mail', advice, async () => {
    await mailer.check();
    return [ok('mail', `${host}:${port}, as ${from.address}`)];
  });
}
