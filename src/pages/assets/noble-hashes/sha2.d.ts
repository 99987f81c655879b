// The file of the package, which assets.ts serves beside these.
export { sha256 } from '@noble/hashes/sha2.js';
