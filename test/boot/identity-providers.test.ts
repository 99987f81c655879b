import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configOf } from '../../src/composition/blob-stores.js';
import { ConfigError } from '../../src/config/config.js';

const one = {
  OIDC_ISSUER: 'https://sign-in.example.com/realms/studio',
  OIDC_CLIENT_ID: 'photos',
  OIDC_CLIENT_SECRET: 'a secret of the client',
};
const good = {
  id: 'k',
  name: 'Keycloak',
  issuer: 'https://sign-in.example.com',
  clientId: 'photos',
  clientSecret: 'x y',
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'providers-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    configOf(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
function fileOf(content: unknown): Record<string, string> {
  const path = join(folder, 'providers.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return { OIDC_PROVIDERS_FILE: path };
}

test('no sign-in provider exists unless the environment names one', () => {
  expect(configOf({}).identityProviders).toEqual([]);
});

test('a sign-in provider has an issuer, an id and a secret, and admits the invited people of its domains', () => {
  const [provider, ...others] = configOf({ ...one, OIDC_DOMAINS: 'Example.com, @example.org' }).identityProviders;
  expect(others).toEqual([]);
  expect(provider).toEqual({
    settings: {
      id: 'oidc',
      name: 'single sign-on',
      issuer: one.OIDC_ISSUER,
      domains: ['example.com', 'example.org'],
      customerId: null,
      admitsNewPeople: false,
      role: 'viewer',
      groupRoles: null,
      trustedMethods: [],
    },
    clientId: 'photos',
    clientSecret: 'a secret of the client',
    scopes: [],
    claims: { verified: 'email_verified', groups: null },
  });
  expect(problemsOf({ OIDC_CLIENT_ID: 'photos' }).join()).toContain('OIDC_ISSUER must be set');
});

test.each(['http://sign-in.example.com', 'http://127.0.0.1.example.com', 'ftp://127.0.0.1', 'sign-in.example.com'])(
  'the issuer %s is refused: tokens would go over the network as they are',
  (issuer) => {
    expect(problemsOf({ ...one, OIDC_ISSUER: issuer })).toEqual([
      'OIDC_ISSUER must be a URL that begins with https://; http:// only on this machine.',
    ]);
    expect(problemsOf({ ...one, OIDC_ISSUER: 'http://127.0.0.1:8080/realms/studio' })).toEqual([]);
  },
);

test('several sign-in providers come from a file, with secrets beside it', () => {
  writeFileSync(join(folder, 'secret'), 'of a file\n');
  const { clientSecret: _, ...withoutSecret } = good;
  const full = {
    ...{ ...withoutSecret, clientSecretFile: 'secret', id: 'other', issuer: 'https://other.example.com' },
    ...{ customer: 7, newPeople: true, domains: ['example.com'], role: 'editor', groups: { heads: 'owner' } },
    ...{ groupsClaim: 'roles', verifiedClaim: 'xms_edov', scopes: ['groups'], trustedMethods: ['mfa'] },
  };
  const [first, second] = configOf(fileOf([good, full])).identityProviders;
  expect(first).toMatchObject({ clientSecret: 'x y', settings: { id: 'k', groupRoles: null } });
  expect(second).toMatchObject({
    settings: { customerId: 7, admitsNewPeople: true, role: 'editor', groupRoles: { heads: 'owner' } },
    clientSecret: 'of a file',
    claims: { verified: 'xms_edov', groups: 'roles' },
    scopes: ['groups'],
  });
});

test.each<[string, unknown, string]>([
  ['an unknown name', { ...good, groupz: {} }, 'groupz is not known'],
  ['an id that is no part of an address', { ...good, id: 'a/b' }, 'id must consist of'],
  ['no secret', { ...good, clientSecret: undefined }, 'clientSecret must be a non-empty string'],
  ['a secret in a file that is not there', { ...good, clientSecretFile: 'nowhere' }, 'clientSecretFile cannot be read'],
  [
    'new people of nobody',
    { ...good, newPeople: true, domains: ['example.com'] },
    'newPeople requires customer and domains',
  ],
  ['new people from anywhere', { ...good, newPeople: true, customer: 1 }, 'newPeople requires customer and domains'],
  ['a text for a truth', { ...good, newPeople: 'yes' }, 'newPeople must be true or false'],
  ['new owners', { ...good, role: 'owner' }, 'role must be viewer, editor or admin'],
  ['a role that there is not', { ...good, groups: { a: 'boss' } }, 'groups must name a role'],
  ['a customer by name', { ...good, customer: 'ACME' }, 'customer must be the number'],
  ['a text for a list', { ...good, domains: 'example.com' }, 'domains must be a list'],
])('%s is refused, and no value is repeated', (_, provider, problem) => {
  const problems = problemsOf(fileOf([provider]));
  expect(problems.map((each) => each.includes(problem))).toEqual([true]);
  expect(problems[0]).toMatch(/^OIDC_PROVIDERS_FILE: provider 1: /);
  expect(problems.join()).not.toContain('x y');
});

test('a file that is not a list of sign-in providers, or has one twice, is refused without its content', () => {
  expect(problemsOf(fileOf('[{"clientSecret": "x y"'))).toEqual([
    'OIDC_PROVIDERS_FILE cannot be read (it is not JSON).',
  ]);
  expect(problemsOf(fileOf(good))[0]).toContain('it must contain a JSON array');
  expect(problemsOf({ OIDC_PROVIDERS_FILE: join(folder, 'nowhere') })[0]).toContain('ENOENT');
  expect(problemsOf(fileOf([good, good]))).toHaveLength(2);
  expect(problemsOf({ ...one, ...fileOf([good]) })[0]).toContain(
    'OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET: describe',
  );
});
