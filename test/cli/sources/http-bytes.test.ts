import { text } from 'node:stream/consumers';
import { bytesFrom, type Send } from '../../../cli/src/sources/http-bytes.js';

/** A server that sends everything, whatever range is asked for. */
const whole =
  (source: UnderlyingDefaultSource<Uint8Array>): Send =>
  () =>
    Promise.resolve(new Response(new ReadableStream(source), { status: 200 }));

test.each([
  [1, 'bcdefgh'],
  [3, 'defgh'],
  [4, 'efgh'],
  [8, ''],
  [9, ''],
])('from byte %d of a server that ignores Range, the rest is %j', async (start, rest) => {
  const send = whole({
    start(controller) {
      for (const part of ['abc', 'de', 'fgh']) controller.enqueue(Buffer.from(part));
      controller.close();
    },
  });
  expect(await text(await bytesFrom(send, start))).toBe(rest);
});

test('a server that ignores Range and fails midway fails the reader', async () => {
  const parts = [Buffer.from('abc'), Buffer.from('def')];
  const send = whole({
    pull(controller) {
      const part = parts.shift();
      if (part) controller.enqueue(part);
      else controller.error(new Error('connection lost'));
    },
  });
  await expect(text(await bytesFrom(send, 2))).rejects.toThrow('connection lost');
});

test('a reader that stops ends the response of a server that ignores Range', async () => {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const send = whole({ pull: (controller) => controller.enqueue(new Uint8Array(1000)), cancel: () => end() });
  for await (const chunk of await bytesFrom(send, 2)) {
    expect(chunk.length).toBe(998);
    break;
  }
  await ended;
});
