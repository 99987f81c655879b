export { end as default } from './build.mjs';
