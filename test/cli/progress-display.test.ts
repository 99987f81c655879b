import { PassThrough } from 'node:stream';
import { ProgressDisplay } from '../../cli/src/progress-display.js';

/** A stream that takes what a terminal would show. */
function terminal(isTTY: boolean) {
  const shown: string[] = [];
  const stream = Object.assign(new PassThrough(), {
    isTTY,
    columns: 200,
    cursorTo: () => true,
    clearLine: () => true,
    moveCursor: () => true,
  });
  stream.on('data', (chunk: Buffer) => shown.push(chunk.toString()));
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => shown.join('') };
}

const progress = {
  phase: 'sending' as const,
  files: { total: 200, hashed: 150, registered: 150, uploaded: 100, duplicates: 30, failed: 2, processed: 0 },
  bytes: { total: 9e9, toUpload: 5e9, uploaded: 2.5e9 },
};

test('the progress on a terminal shows files, bytes, rate, time left, duplicates, failures, and the reason for waiting', () => {
  const { stream, text } = terminal(true);
  const display = new ProgressDisplay({}, { stream });
  display.importing(progress);
  display.waiting({ reason: 'limit', budget: 'write', milliseconds: 42_000, problem: null });
  display.end();
  expect(text()).toMatch(
    /66% {2}132\/200 files {2}2\.5 GB of 5\.0 GB {2}.*\/s {2}ETA .*30 duplicates skipped {2}2 failed/,
  );
  expect(text()).toContain('waiting 0:42 for the rate limit');
});

test('the progress without a terminal is a line from time to time with the same values', () => {
  const { stream, text } = terminal(false);
  const display = new ProgressDisplay({}, { stream, lineEvery: 0 });
  display.importing(progress);
  display.importing({ ...progress, files: { ...progress.files, uploaded: 168 } });
  display.end();
  expect(text()).toMatch(/^132\/200 files {2}2\.5 GB of 5\.0 GB {2}.*\n200\/200 files .*2 failed.*\n$/);
});

test('the progress shows the number of files while they are hashed', () => {
  const { stream, text } = terminal(true);
  const display = new ProgressDisplay({}, { stream });
  display.importing(progress);
  display.end();
  expect(text()).toContain('150 of 200 hashed');
});

test.each<[string, boolean, object, number?]>([
  ['elsewhere within the first seconds', false, {}],
  ['on a terminal where it is to be quiet', true, { quiet: true }],
  ['elsewhere where it is to be quiet', false, { quiet: true }, 0],
  ['elsewhere where a program reads the result', false, { json: true }, 0],
])('no progress is shown %s', (_, isTTY, options, lineEvery = 10_000) => {
  const { stream, text } = terminal(isTTY);
  const display = new ProgressDisplay(options, { stream, lineEvery });
  display.importing(progress);
  display.waiting({ reason: 'retry', budget: 'read', milliseconds: 1000, problem: 'ECONNREFUSED' });
  display.end();
  expect(text()).toBe('');
});

test('the progress of a resumed run never exceeds the total, and counts failed files as sent', () => {
  const { stream, text } = terminal(true);
  const display = new ProgressDisplay({}, { stream });
  const files = { total: 111, hashed: 111, registered: 111, uploaded: 108, duplicates: 3, failed: 3, processed: 111 };
  for (const phase of ['sending', 'processing'] as const) {
    display.importing({ phase, files, bytes: { total: 10, toUpload: 5, uploaded: 9 } });
    display.end();
  }
  expect(text()).toContain('111/111 files  5 B of 5 B');
  expect(text()).not.toMatch(/11[2-9]\/111|9 B of/);
});

test('while the service processes files, the progress counts them, with the rate and the time left of this phase', async () => {
  const { stream, text } = terminal(false);
  const display = new ProgressDisplay({}, { stream, lineEvery: 0 });
  display.importing(progress);
  const sent = { total: 200, hashed: 200, registered: 200, uploaded: 170, duplicates: 30, failed: 0 };
  const processing = (processed: number) =>
    display.importing({
      phase: 'processing',
      files: { ...sent, processed },
      bytes: { total: 9e9, toUpload: 5e9, uploaded: 5e9 },
    });
  processing(30);
  await new Promise((resolve) => setTimeout(resolve, 5));
  processing(80);
  display.end();
  const lines = text().trimEnd().split('\n');
  expect(lines[1]).toMatch(
    /^30\/200 files .* 0\.0 files\/s {2}ETA - {2}30 duplicates skipped {2}the service is processing/,
  );
  expect(lines[2]).toMatch(/^80\/200 files .* [\d.]+ files\/s {2}ETA \d+:\d\d .*the service is processing the photos$/);
});
