import { randomUUID } from 'node:crypto';
import type { Answer } from './support/client.js';
import { Installation } from './support/service.js';
import { expectSound } from './support/sound.js';

const WRITES = 40;

describe('kill -9 in the middle of writes with an Idempotency-Key', () => {
  it('leaves each done with its answer, or not at all', async () => {
    const installation = await Installation.make();
    try {
      await installation.start();
      const client = installation.client();
      const keys = Array.from({ length: WRITES }, () => randomUUID());
      const post = (key: string) => client.post('/imports', { name: key }, { 'Idempotency-Key': key });
      const sent = keys.map((key) => post(key).catch(() => null));
      // Some are answered by then, some under way, some not begun.
      await Promise.race(sent);
      await installation.killEverything();
      const answered = await Promise.all(sent);

      await installation.start();
      const again = await Promise.all(keys.map(post));
      const done = again.filter((answer) => answer.status === 201);
      const held = again.filter((answer) => answer.status !== 201);
      for (const answer of held) expect(answer.body.error.code).toBe('idempotency_in_progress');
      for (const [at, first] of answered.entries()) if (first) expectReplayed(again[at], first);
      // Whatever was committed before has an answer, and nothing was done twice.
      expect(new Set(done.map((answer) => answer.body.id)).size).toBe(done.length);
      expect((await client.get('/customer')).body.usage.openImports).toBe(done.length);
      for (const answer of done) {
        const repeated = await post(answer.body.name);
        expectReplayed(repeated, answer);
      }
      await expectSound(installation, { graceSeconds: 0 });
    } finally {
      await installation.remove();
    }
  });
});

function expectReplayed(answer: Answer | undefined, first: Answer): void {
  expect([answer?.status, answer?.headers.get('idempotent-replayed')]).toEqual([first.status, 'true']);
  expect([answer?.body, answer?.headers.get('location')]).toEqual([first.body, first.headers.get('location')]);
}
