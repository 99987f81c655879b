import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from './support/client.js';
import { itDoesTheMainJob } from './support/main-job.js';
import { Installation } from './support/service.js';

describe.each(['one process', 'three processes'])(
  'the built program, as %s, used through all nineteen endpoints, stopped and started again',
  (processes) => {
    let installation: Installation;
    let client: Client;

    beforeAll(async () => {
      installation = await Installation.make({ PROCESSES: processes === 'one process' ? '1' : '3' });
      await installation.start();
      client = new Client(installation.url, installation.token() ?? 'no token was printed');
    });
    afterAll(() => installation.remove());

    it('writes a key and a link into files at its first start, and prints where they are, not what', () => {
      expect(installation.token()).toMatch(/^phs_live_\w{49}$/);
      expect(installation.link()).toMatch(/^http:\S+\/settings\/enter\/[\w-]{43}$/);
      for (const name of ['first-key', 'first-link']) {
        expect(statSync(join(installation.dataDir, name)).mode & 0o777).toBe(0o600);
      }
      expect(installation.printed()).not.toContain('phs_live_');
      expect(installation.printed()).not.toContain('/settings/enter/');
    });

    itDoesTheMainJob(() => ({ installation, client }));
  },
);
