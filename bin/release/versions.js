const numbers = (version) => version.split('.').map(Number);
/** The packages of this project; each needs the others in its own version. */
const OURS = [
  'photo-service',
  'photo-service-cli',
  'photo-service-postgres',
  'photo-service-sdk',
  'photo-service-uploader',
];

export function laterThan(version, other) {
  const [mine, theirs] = [numbers(version), numbers(other)];
  const at = mine.findIndex((part, index) => part !== theirs[index]);
  return at >= 0 && mine[at] > theirs[at];
}

/** A package.json or package-lock.json in which this project's packages, and what they need of each other, have another version. */
export function withVersion(text, before, after) {
  const document = JSON.parse(text);
  const manifests = document.packages === undefined ? [document] : [document, ...Object.values(document.packages)];
  for (const manifest of manifests) {
    if (OURS.includes(manifest.name) && manifest.version === before) manifest.version = after;
    for (const needed of [manifest.dependencies, manifest.devDependencies]) {
      for (const name of OURS) if (needed?.[name] === before) needed[name] = after;
    }
  }
  return `${JSON.stringify(document, null, 2)}\n`;
}

/**
 * The changelog with the day of a release in its heading, `## X.Y.Z, unreleased` or `## Unreleased` so far.
 * Errors: one that says which heading is missing.
 */
export function datedChangelog(text, version, day) {
  const heading = new RegExp(`^## (${version.replaceAll('.', '\\.')}, unreleased|Unreleased)$`, 'm');
  if (!heading.test(text)) throw new Error(`CHANGELOG.md needs a heading "## ${version}, unreleased"`);
  return text.replace(heading, `## ${version}, ${day}`);
}

/** What the changelog says of a version after its number: the day of its release, or `unreleased`. */
export function stateOf(changelog, version) {
  const heading = changelog.split('\n').find((line) => line.startsWith(`## ${version}, `));
  if (heading === undefined) throw new Error(`CHANGELOG.md has no heading "## ${version}, …"`);
  return heading.slice(`## ${version}, `.length);
}
