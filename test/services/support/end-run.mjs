export { end as default } from './run.mjs';
