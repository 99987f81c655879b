import { Command } from 'commander';
import { PartlyDone } from 'photo-service-cli/exit-codes';
import { print, tableOf } from 'photo-service-cli/print';
import { collectGarbage, GRACE_SECONDS } from '../core/integrity/collect-garbage.js';
import { type Checked, type Finding, invariants } from '../core/integrity/findings.js';
import { verify } from '../core/integrity/verify.js';
import { counted } from '../core/shared/text.js';
import { wholeOption } from './options.js';
import { withPorts } from './with-ports.js';

/** More are counted, but not listed: an empty store would report as many problems as there are photos. */
const MAX_LISTED = 10_000;

export function verifyCommand(): Command {
  return new Command('verify')
    .description('check that every photo is stored byte for byte and that all other invariants hold; changes nothing')
    .option('--repair', 'repair what can be repaired')
    .option('--fast', 'compare sizes only, not the bytes')
    .option('--grace <seconds>', 'report unowned bytes older than this', wholeOption, GRACE_SECONDS)
    .action(async (options: { repair?: boolean; fast?: boolean; grace: number; json?: boolean }) => {
      const { repair = false, fast = false, grace: graceSeconds } = options;
      const problems: Finding[] = [];
      let total = 0;
      let left = 0;
      // One line on a terminal that is overwritten; nothing elsewhere.
      let shownAt = 0;
      const onProgress = (sofar: Checked) => {
        const now = performance.now();
        if (!process.stderr.isTTY || now - shownAt < 200) return;
        shownAt = now;
        const [photos, blobs] = [counted(sofar.photos, 'photo'), counted(sofar.blobs, 'stored file')];
        process.stderr.write(`\r\x1b[K${photos} and ${blobs} checked`);
      };
      const checked = await withPorts((ports) =>
        verify(ports, {
          repair,
          fast,
          graceSeconds,
          onProgress,
          onFinding: (problem) => {
            total += 1;
            if (!problem.repaired) left += 1;
            if (problems.length < MAX_LISTED) problems.push(problem);
          },
        }),
      ).finally(() => shownAt > 0 && process.stderr.write('\r\x1b[K'));
      const ok = left === 0;
      print(options, { ok, checked, problems, problemCount: total }, reportLines(checked, problems, { total, left }));
      if (!ok) throw new PartlyDone();
    });
}

function reportLines(checked: Checked, problems: readonly Finding[], { total, left }: { total: number; left: number }) {
  const { photos, items, blobs, tags, customers, missingThumbs, remadeThumbs } = checked;
  const found = [counted(photos, 'photo'), counted(items, 'unfinished item'), counted(blobs, 'stored file')];
  const lines = [`Checked ${found.join(', ')} and ${counted(tags, 'tag')} of ${counted(customers, 'customer')}.`];
  if (remadeThumbs > 0) lines.push(`Created ${counted(remadeThumbs, 'missing thumbnail')}.`);
  else if (missingThumbs > 0)
    lines.push(
      `${counted(missingThumbs, 'thumbnail is', 'thumbnails are')} missing; ${missingThumbs === 1 ? 'it is created when it is' : 'they are created when they are'} requested.`,
    );
  if (total === 0) return [...lines, 'No problems found.'];
  const kinds = [...new Set(problems.map(({ invariant }) => invariant))];
  return [
    ...lines,
    '',
    ...tableOf(problems, {
      RULE: ({ invariant }) => invariant,
      CUSTOMER: ({ customerId }) => customerId,
      PHOTO: ({ photoId }) => photoId,
      REPAIRED: ({ repaired }) => (repaired ? 'yes' : 'no'),
      PROBLEM: ({ message }) => message,
    }),
    ...(total > problems.length ? [`… and ${total - problems.length} more`] : []),
    '',
    ...kinds.map((kind) => `${kind}: ${invariants[kind]}.`),
    '',
    left === 0
      ? 'All problems were repaired.'
      : `${counted(left, 'problem remains', 'problems remain')}. docs/operations.md explains what to do.`,
  ];
}

export function gcCommand(): Command {
  return new Command('gc')
    .description('remove stored bytes that are not owned by anything (the running service does so automatically)')
    .option('--grace <seconds>', 'keep what is younger than this', wholeOption, GRACE_SECONDS)
    .action(async (options: { grace: number; json?: boolean }) => {
      const { bytes, ...removed } = await withPorts((ports) => collectGarbage(ports, { graceSeconds: options.grace }));
      const { staging, originals, renditions } = removed;
      print(options, { ok: true, graceSeconds: options.grace, removed, bytes }, [
        staging + originals + renditions === 0
          ? 'Nothing to remove.'
          : `Removed ${counted(staging, 'staged file')}, ${counted(originals, 'original')} and ${counted(renditions, 'rendition')} without an owner: ${counted(bytes, 'byte')}.`,
      ]);
    });
}
