import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

// The runtime of Cloudflare Workers, without any of Node: the SDK as the one file for the web.
const [tools] = process.argv.slice(2);
const { Miniflare } = createRequire(`${tools}/`)('miniflare');
const here = new URL('./', import.meta.url);
const program = readFileSync(new URL('try-sdk.cjs', here), 'utf8').replace('exports.trySdk =', 'export const trySdk =');
const web = readFileSync(new URL(import.meta.resolve('photo-service-sdk/web')), 'utf8');
const worker = `
  import * as sdk from './web.js';
  import { trySdk } from './try-sdk.js';
  export default { fetch: async (request) => Response.json(await trySdk(sdk, null, await request.json())) };
`;
const modules = Object.entries({ 'worker.js': worker, 'web.js': web, 'try-sdk.js': program });
const miniflare = new Miniflare({
  compatibilityDate: '2026-01-01',
  modules: modules.map(([path, contents]) => ({ type: 'ESModule', path, contents })),
});
const answer = await miniflare.dispatchFetch('http://worker/', { method: 'POST', body: process.env.GIVEN });
const text = await answer.text();
if (!answer.ok) throw new Error(text);
console.log(text);
await miniflare.dispose();
