import { writeFileSync } from 'node:fs';
import { acceptedFormats, fileExtensions, otherFormats } from '../../src/core/media/formats.ts';

// Writes what the packages say of the formats of pictures, out of their declarations: node --import ./bin/typescript.js bin/generate/picture-formats.js
const head = '// Written by bin/generate/picture-formats.js from src/core/media/formats.ts: npm run sdk:types\n\n';

function write(path, text) {
  writeFileSync(new URL(`../../${path}`, import.meta.url), `${head}${text}`);
}

const types = acceptedFormats.map(({ contentType, extensions, signatures }) => ({
  contentType,
  extensions,
  signatures,
}));
const others = Object.fromEntries(otherFormats.map(({ name, extensions }) => [name, extensions]));
write(
  'sdk/src/import/picture-formats.ts',
  `/** Parts of the first bytes that all have to be there: where, and what, a character for each byte. */
export type Signature = readonly (readonly [at: number, text: string])[];

export interface PictureType {
  readonly contentType: string;
  /** The extensions of the names of such files, without a dot, in lower case. */
  readonly extensions: readonly string[];
  /** One of them is that of each such file. */
  readonly signatures: readonly Signature[];
}

/** The types of files that may be photos. */
export const pictureTypes: readonly PictureType[] = ${JSON.stringify(types, null, 2)};

/** Endings of pictures that no service takes, by the names of their formats. */
export const otherPictures: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(others, null, 2)};
`,
);

write(
  'uploader/src/accepted-files.ts',
  `/** With the endings of all accepted formats, many of which browsers do not know for pictures. */
export const ACCEPTED_FILES =
  '${['image/*', ...fileExtensions].join(',')}';
`,
);
