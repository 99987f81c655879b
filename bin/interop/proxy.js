import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { nodeOf, run } from './run.js';
import { freePort, withService } from './service.js';

/** Prism between a client and both APIs: it compares each request and each response with the documents, and may not have a finding. */
export async function check({ root, tools }) {
  await withService(root, async ({ url, token, operatorToken }) => {
    const proxies = [];
    try {
      for (const document of ['openapi.json', 'openapi-operator.json']) {
        proxies.push(await startProxy(tools, join(root, document), url));
      }
      const [api, operator] = proxies.map((proxy) => proxy.url);
      const program = join(root, 'bin/interop/programs/calls.mjs');
      // In the environment: arguments are in messages of errors.
      const given = JSON.stringify({ api, operator, token, operatorToken, photos: join(root, 'examples/photos') });
      console.log((await run(process.execPath, [program], { cwd: root, env: { GIVEN: given } })).trim());
    } finally {
      for (const { child } of proxies) child.kill();
    }
  });
}

async function startProxy(tools, document, upstream) {
  const port = await freePort();
  const args = [join(tools, '@stoplight/prism-cli/dist/index.js'), 'proxy', document, upstream, '--port', String(port)];
  const child = spawn(nodeOf(tools), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    let printed = '';
    child.once('close', () => reject(new Error(`prism ended: ${printed}`)));
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      if (printed.includes('Prism is listening')) resolve();
    });
  });
  return { child, url: `http://127.0.0.1:${port}` };
}
