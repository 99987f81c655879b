import type { Answer } from '../http-client.js';
import { code, nth, pick, step } from './model-step.js';

/** Upload targets end, so items are shown as they are now: what stays is which they were, and what became of them. */
function lasting({ path, answer }: { path: string; answer: Answer }): unknown {
  const { status, text, headers } = answer;
  const isRegistration = /^\/imports\/\d+\/photos$/.test(path) && status < 300;
  // biome-ignore lint/suspicious/noExplicitAny: an entry as answered.
  const told = ({ index, outcome, photo, error }: any) => ({ index, outcome, id: photo?.id ?? null, error });
  const isItem = /^\/imports\/\d+\/photos\/\d+$/.test(path) && status < 300;
  const body = isRegistration ? answer.body.data.map(told) : isItem ? answer.body.id : text;
  return { status, body, location: headers.location };
}

const repeat = step('repeat', { at: nth }, async (_, client, { at }) => {
  const write = pick(client.kept.toReversed(), at);
  if (!write) return;
  const answer = await client.send(write);
  expect(answer.headers['idempotent-replayed']).toBe('true');
  expect(lasting({ path: write.path, answer })).toEqual(lasting(write));
});

/** Another body, and mostly another path, too. */
const reuse = step('reuse key', { at: nth }, async (_, client, { at }) => {
  const write = pick(client.kept.toReversed(), at);
  if (!write) return;
  const other = { method: 'POST', path: '/tags', body: { name: 'never made' }, key: write.key };
  expect(code(await client.send(other))).toBe('422 idempotency_key_reused');
});

export const keyedSteps = [repeat, repeat, reuse];
