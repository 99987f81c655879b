export { removeTemplate as default } from './template.mjs';
