import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isLoopback } from '../core/access/outgoing-url.js';
import type { ProviderSettings } from '../core/users/identity-provider.js';
import { isRole, type Role } from '../core/users/user.js';
import type { EnvironmentReader } from './environment-reader.js';

/** A provider by OpenID Connect, as the operator describes it. docs/guides/single-sign-on.md has the table of all values. */
export type ProviderConfig = ReturnType<ProviderReader['read']>;

const FILE = 'OIDC_PROVIDERS_FILE';
const ONE = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;
const MORE = ['OIDC_NAME', 'OIDC_DOMAINS'] as const;

/** The one provider of the environment, or those of the file that it names. */
export function readProviders(read: EnvironmentReader): readonly ProviderConfig[] {
  const named = [...ONE, ...MORE].filter((name) => read.has(name));
  if (read.has(FILE)) {
    if (named.length > 0) read.problem(`${named.join(', ')}: describe every provider in ${FILE}, or one without it.`);
    return readFile(read, read.text(FILE, ''));
  }
  if (named.length === 0) return [];
  for (const name of ONE) read.needed(name, 'people sign in by OpenID Connect');
  const [issuer, clientId, clientSecret] = ONE.map((name) => read.text(name, ''));
  const values = {
    id: 'oidc',
    name: read.text('OIDC_NAME', 'single sign-on'),
    issuer,
    clientId,
    clientSecret,
    domains: read.list('OIDC_DOMAINS'),
  };
  // `clientId` as `OIDC_CLIENT_ID`.
  const nameOf = (key: string) => `OIDC_${key.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
  return [new ProviderReader(values, nameOf, (problem) => read.problem(problem)).read()];
}

function readFile(read: EnvironmentReader, path: string): readonly ProviderConfig[] {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!Array.isArray(content)) throw new Error('it must contain a JSON array of providers');
    const problem = (text: string) => read.problem(`${FILE}: ${text}`);
    const folder = dirname(path);
    const found = content.map((each, at) =>
      new ProviderReader(each, (key) => `provider ${at + 1}: ${key}`, problem, folder).read(),
    );
    const ids = found.map(({ settings }) => settings.id);
    if (new Set(ids).size < ids.length) problem('every provider needs an id of its own.');
    if (new Set(found.map(({ settings }) => settings.issuer)).size < ids.length)
      problem('every provider needs an issuer of its own.');
    return found;
  } catch (error) {
    // The message of a parser may quote the file, which contains secrets.
    const reason = error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message;
    read.problem(`${FILE} cannot be read (${reason}).`);
    return [];
  }
}

const KEYS = [
  'id',
  'name',
  'issuer',
  'clientId',
  'clientSecret',
  'clientSecretFile',
  'domains',
  'customer',
  'newPeople',
  'role',
  'groupsClaim',
  'groups',
  'verifiedClaim',
  'scopes',
  'trustedMethods',
];

class ProviderReader {
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(
    values: unknown,
    /** The name of a value in messages. */
    private readonly nameOf: (key: string) => string,
    private readonly problem: (text: string) => void,
    private readonly folder = '.',
  ) {
    this.values = typeof values === 'object' && values !== null ? (values as Record<string, unknown>) : {};
  }

  read() {
    for (const key of Object.keys(this.values)) if (!KEYS.includes(key)) this.wrong(key, 'is not known');
    const id = this.text('id');
    if (!/^[a-z0-9-]{1,40}$/.test(id)) this.wrong('id', 'must consist of lower-case letters, digits and hyphens');
    const groups = this.groups();
    const [customerId, admitsNewPeople] = [this.values['customer'] ?? null, this.values['newPeople'] ?? false];
    if (customerId !== null && !(Number.isSafeInteger(customerId) && Number(customerId) > 0)) {
      this.wrong('customer', 'must be the number of a customer');
    }
    const domains = this.texts('domains').map((domain) => domain.toLowerCase().replace(/^@/, ''));
    if (typeof admitsNewPeople !== 'boolean') this.wrong('newPeople', 'must be true or false');
    if (admitsNewPeople === true && (customerId === null || domains.length === 0)) {
      this.wrong('newPeople', 'requires customer and domains, which say who is added to which customer');
    }
    return {
      settings: {
        id,
        name: this.text('name'),
        issuer: this.issuer(),
        domains,
        customerId: customerId as number | null,
        admitsNewPeople: admitsNewPeople === true,
        role: this.role(),
        groupRoles: groups,
        trustedMethods: this.texts('trustedMethods'),
      } satisfies ProviderSettings,
      clientId: this.text('clientId'),
      clientSecret: this.secret(),
      scopes: this.texts('scopes'),
      claims: {
        verified: this.text('verifiedClaim', 'email_verified'),
        groups: groups && this.text('groupsClaim', 'groups'),
      },
    };
  }

  private issuer(): string {
    const issuer = this.text('issuer');
    const { protocol, hostname } = URL.canParse(issuer) ? new URL(issuer) : { protocol: '', hostname: '' };
    if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) {
      this.wrong('issuer', 'must be a URL that begins with https://; http:// only on this machine');
    }
    return issuer;
  }

  private secret(): string {
    const file = this.values['clientSecretFile'];
    if (file === undefined) return this.text('clientSecret');
    try {
      return readFileSync(resolve(this.folder, String(file)), 'utf8').trim();
    } catch (error) {
      this.wrong('clientSecretFile', `cannot be read (${(error as Error).message})`);
      return '';
    }
  }

  private role(): Exclude<Role, 'owner'> {
    const role = this.values['role'] ?? 'viewer';
    if (typeof role === 'string' && isRole(role) && role !== 'owner') return role;
    this.wrong('role', 'must be viewer, editor or admin');
    return 'viewer';
  }

  private groups(): Readonly<Record<string, Role>> | null {
    const groups = this.values['groups'];
    if (groups === undefined) return null;
    const entries = Object.entries(typeof groups === 'object' && groups !== null ? groups : {});
    if (entries.length === 0 || entries.some(([, role]) => typeof role !== 'string' || !isRole(role))) {
      this.wrong('groups', 'must name a role (viewer, editor, admin, owner) for each group');
    }
    return Object.fromEntries(entries);
  }

  private text(key: string, fallback?: string): string {
    const value = this.values[key] ?? fallback;
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    this.wrong(key, 'must be a non-empty string');
    return '';
  }

  private texts(key: string): readonly string[] {
    const value = this.values[key] ?? [];
    if (Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '')) return value;
    this.wrong(key, 'must be a list of non-empty strings');
    return [];
  }

  /** Values are not repeated: one may be a secret at the wrong place. */
  private wrong(key: string, problem: string): void {
    this.problem(`${this.nameOf(key)} ${problem}.`);
  }
}
