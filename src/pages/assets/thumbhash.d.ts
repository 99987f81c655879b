// The file of the package, which assets.ts serves beside these.
export { thumbHashToRGBA } from 'thumbhash';
