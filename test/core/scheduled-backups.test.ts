import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backupName, timeOfBackup } from '../../src/core/backup/signature.js';
import { HOUR, MINUTE } from '../../src/core/shared/clock.js';
import { backupTask, type MadeBackup } from '../../src/start/serving/background.js';
import { world } from '../support/core-world.js';

const schedule = { everyHours: 24, keep: 7, recipients: [] as readonly string[] };
const { clock } = world();
const living = new AbortController().signal;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phs-scheduled-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What `phs` was asked to do, and what was seen and said of it. */
function scheduled(changes: Partial<typeof schedule> = {}, backup = () => backUp()) {
  const asked: (readonly string[])[] = [];
  const seen: (Date | null)[] = [];
  const made: MadeBackup[] = [];
  const task = backupTask(
    { folder, ...schedule, ...changes },
    {
      clock,
      onSeen: (newest) => seen.push(newest),
      onMade: (backup) => made.push(backup),
      run: async (args) => {
        asked.push(args);
        return backup();
      },
    },
  );
  return { asked, seen, made, run: () => task.run(living) };
}

function backUp(): MadeBackup {
  const name = backupName(clock.now());
  mkdirSync(join(folder, name));
  return { ok: true, name, problems: [] };
}

test('a backup is named by its time, and nothing else is taken for one', () => {
  const at = new Date('2026-11-21T03:04:05.678Z');
  expect(backupName(at)).toBe('2026-11-21T03-04-05.678Z');
  expect(timeOfBackup(backupName(at))).toEqual(at);
  for (const name of ['blobs', '2026-11-21', `${backupName(at)}.unfinished`, '2026-02-30T03-04-05.678Z', ''])
    expect(timeOfBackup(name)).toBeNull();
});

test('the first scheduled backup is made at once, and the next one when it is due', async () => {
  const { asked, seen, made, run } = scheduled();
  const begun = clock.now();
  await run();
  await run();
  clock.pass(24 * HOUR - MINUTE);
  await run();
  expect(asked).toEqual([['backup', folder, '--keep', '7', '--json']]);
  clock.pass(MINUTE);
  await run();
  expect(asked).toHaveLength(2);
  expect(made.map(({ ok }) => ok)).toEqual([true, true]);
  expect(seen).toEqual([null, begun, begun, begun, begun, clock.now()]);
});

test('a backup that an operator made counts for the schedule, and one that was interrupted does not', async () => {
  const { asked, run } = scheduled({ everyHours: 1 });
  mkdirSync(join(folder, `${backupName(clock.now())}.unfinished`));
  mkdirSync(join(folder, 'blobs'));
  await run();
  expect(asked).toHaveLength(1);
  clock.pass(2 * HOUR);
  backUp();
  await run();
  expect(asked).toHaveLength(1);
});

test('a scheduled backup is encrypted to all recipients', async () => {
  const { asked, run } = scheduled({ recipients: ['age1one', 'age1two'] });
  await run();
  expect(asked[0]).toEqual(['backup', folder, '--keep', '7', '--json', '--recipient', 'age1one,age1two']);
});

test('a backup folder that does not exist yet counts as empty', async () => {
  rmSync(folder, { recursive: true });
  const { seen, run } = scheduled({}, () => {
    mkdirSync(folder);
    return backUp();
  });
  await run();
  expect(seen).toEqual([null, clock.now()]);
});

test('a scheduled backup that fails is an error of this run, and the next one tries again', async () => {
  let isFull = true;
  const { asked, made, run } = scheduled({}, () => {
    if (isFull) throw new Error('ENOSPC: no space left on device');
    return backUp();
  });
  await expect(run()).rejects.toThrow('no space left');
  isFull = false;
  await run();
  expect([asked.length, made.length]).toEqual([2, 1]);
});
