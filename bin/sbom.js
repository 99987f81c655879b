import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesIn } from './build/licences.js';
import { Locked } from './build/packages.js';

// Prints what is shipped as a CycloneDX document: the packages that are installed, of every platform, by the lock file, and those in the
// bundle, by the modules that the bundler put into it. Needs the program that is built.
//   npm run --silent sbom [-- FOLDER_OF_ANOTHER_BUNDLE] > photo-service.cdx.json
// With SOURCE_DATE_EPOCH the same lock file always gives the same document.
// `npm sbom --omit dev` would not do: it leaves out what is needed at run time and by a tool besides, express and @nestjs/core among it.
const root = join(import.meta.dirname, '..');
const locked = new Locked(join(root, 'package-lock.json'));
const { packages } = locked;
const { SOURCE_DATE_EPOCH: epoch } = process.env;
const { description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

function nameOf(place) {
  return packages[place].name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** Of all places that have the same package. */
function refOf(place) {
  return `${nameOf(place)}@${packages[place].version}`;
}

function component(place) {
  const { version, optional, integrity, license } = packages[place];
  // Of the archive in the registry (Subresource Integrity).
  const [algorithm, digest] = integrity?.split('-', 2) ?? [];
  const name = nameOf(place);
  return {
    type: place === '' ? 'application' : 'library',
    'bom-ref': refOf(place),
    name,
    version,
    // What is needed on some platforms only.
    scope: optional ? 'optional' : 'required',
    ...(integrity && {
      hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }],
    }),
    // An identifier of SPDX, or an expression of several.
    ...(license && {
      licenses: [/ (AND|OR|WITH) /.test(license) ? { expression: license } : { license: { id: license } }],
    }),
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  };
}

/** Made at a given time, the document is known by what it was made of. */
function serialNumber() {
  if (epoch === undefined) return `urn:uuid:${randomUUID()}`;
  const lockFile = readFileSync(join(root, 'package-lock.json'));
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(
    createHash('sha256').update(`${epoch}\n`).update(lockFile).digest('hex'),
  );
  return `urn:uuid:${a}-${b}-8${c}-8${d}-${e}`;
}

const installed = locked.withNeeded(['']);
const inBundle = new Set(packagesIn(process.argv[2] ?? join(root, 'dist/program')));
const places = [
  ...installed,
  ...Object.keys(packages).filter((place) => !installed.includes(place) && inBundle.has(refOf(place))),
];
const shipped = new Set(places.map(refOf));
const missing = [...inBundle].filter((ref) => !shipped.has(ref));
if (missing.length > 0)
  throw new Error(`package-lock.json does not name what is in the bundle: ${missing.join(', ')}.`);
const needs = new Map();
for (const place of places) {
  const needed = locked
    .neededBy(place)
    .map(refOf)
    .filter((ref) => shipped.has(ref));
  needs.set(refOf(place), new Set([...(needs.get(refOf(place)) ?? []), ...needed]));
}
// The bundle is the service's own: what no package in it names is there because the service does.
const named = new Set([...needs.values()].flatMap((all) => [...all]));
for (const ref of inBundle) if (!named.has(ref)) needs.get(refOf('')).add(ref);
const components = new Map(places.filter((place) => place !== '').map((place) => [refOf(place), component(place)]));
const sorted = (entries) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
const document = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  serialNumber: serialNumber(),
  version: 1,
  metadata: {
    timestamp: (epoch === undefined ? new Date() : new Date(Number(epoch) * 1000)).toISOString(),
    component: { ...component(''), description },
  },
  components: sorted(components).map(([, each]) => each),
  dependencies: sorted(needs).map(([ref, all]) => ({ ref, dependsOn: [...all].sort() })),
};
console.log(JSON.stringify(document, null, 2));
