/* @slow @rest */

import { spawnSync } from 'node:child_process';
import { chooseIsolation } from '../../src/adapters/media/isolation/isolation.js';
import { mediaProcessesContract } from '../contracts/media-processes.contract.js';

mediaProcessesContract('process');

test('a level that cannot load the program is refused in one sentence, without what Node prints of its own sources', async () => {
  const { stderr } = spawnSync(process.execPath, ['/nowhere/media-child.js'], { encoding: 'utf8' });
  expect(stderr.split('\n').length).toBeGreaterThan(5);
  const reasons = [`It ended (code 1): ${stderr.trim()}.`, 'It was stopped: it took more than 10 seconds.'];
  const refused: string[] = [];
  const refuse = async () => {
    refused.push(reasons[refused.length] ?? 'It ended (code 127): bwrap: not here');
    return refused.at(-1) ?? null;
  };
  const error: Error = await chooseIsolation('auto', 'low', refuse).catch((error) => error);
  expect(refused.length).toBeGreaterThan(0);
  expect(error.message).toContain("It ended (code 1): Error: Cannot find module '/nowhere/media-child.js'.");
  expect(error.message).not.toMatch(/\n|node:internal|Require stack/);
});
