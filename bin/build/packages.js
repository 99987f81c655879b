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
