import { readFileSync } from 'node:fs';

/** Packages with compiled parts, with files that are read, or with words that are rarely needed. The bundle loads them from node_modules. */
export const installed = [
  'sharp',
  '@node-rs/argon2',
  'libheif-js',
  'jxl-oxide-wasm',
  'thumbhash',
  '@noble/hashes',
  '@fontsource-variable/inter',
  '@zxcvbn-ts/language-common',
];

/** Which packages the lock file names, by where each is installed, and what each loads. */
export class Locked {
  constructor(file) {
    this.packages = JSON.parse(readFileSync(file, 'utf8')).packages;
  }

  /** The place of what one package loads by a name, as Node looks for it; undefined where it is not installed. */
  placeOf(name, from) {
    for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
      const found = this.packages[place];
      if (found !== undefined) return found.link ? found.resolved : place;
      if (at === '') return undefined;
    }
  }

  /** Places of what a package needs when it runs. Optional peers are tools that somebody might use with it. */
  neededBy(place) {
    const {
      dependencies,
      optionalDependencies,
      peerDependencies = {},
      peerDependenciesMeta = {},
    } = this.packages[place];
    const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
    const names = new Set([...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]);
    return [...names].map((name) => this.placeOf(name, place)).filter((found) => found !== undefined);
  }

  /** These places, and of all that they need. */
  withNeeded(places) {
    const all = new Set(places);
    // A set is walked on to what is added meanwhile.
    for (const place of all) for (const needed of this.neededBy(place)) all.add(needed);
    return [...all];
  }
}
