import { Command } from 'commander';
import { print, table } from 'photo-service-cli/print';
import { GRACE_SECONDS } from '../core/integrity/collect-garbage.js';
import { type Checked, type Finding, invariants } from '../core/integrity/findings.js';
import { verify } from '../core/integrity/verify.js';
import { PartlyDone } from './exit-codes.js';
import { wholeOption } from './options.js';
import { withPorts } from './with-ports.js';

interface VerifyOptions {
  readonly repair?: boolean;
  readonly fast?: boolean;
  readonly grace: number;
  readonly json?: boolean;
}

/** More are counted, but not stored: an empty store would report as many problems as there are photos. */
const MAX_LISTED = 10_000;

export function verifyCommand(): Command {
  return new Command('verify')
    .description('check that every photo is stored byte for byte and that all other invariants hold; changes nothing')
    .option('--repair', 'repair what can be repaired')
    .option('--fast', 'compare sizes only, not the bytes')
    .option('--grace <seconds>', 'report unowned bytes older than this', wholeOption, GRACE_SECONDS)
    .option('--json', 'print one JSON document')
    .action(async (options: VerifyOptions) => {
      const problems: Finding[] = [];
      let total = 0;
      let left = 0;
      const progress = new Progress();
      const checked = await withPorts((ports) =>
        verify(ports, {
          repair: options.repair ?? false,
          fast: options.fast ?? false,
          graceSeconds: options.grace,
          onProgress: (sofar) => progress.show(sofar),
          onFinding: (problem) => {
            total += 1;
            if (!problem.repaired) left += 1;
            if (problems.length < MAX_LISTED) problems.push(problem);
          },
        }),
      ).finally(() => progress.clear());
      const ok = left === 0;
      print(options, { ok, checked, problems, problemCount: total }, reportLines(checked, problems, { total, left }));
      if (!ok) throw new PartlyDone();
    });
}

function reportLines(checked: Checked, problems: readonly Finding[], { total, left }: { total: number; left: number }) {
  const { photos, items, blobs, tags, customers, missingThumbs, remadeThumbs } = checked;
  const scope = `${photos} photos, ${items} unfinished items, ${blobs} stored files and ${tags} tags of ${customers} customers`;
  const lines = [`Checked ${scope}.`];
  if (remadeThumbs > 0) lines.push(`Created ${remadeThumbs} missing thumbnails.`);
  else if (missingThumbs > 0)
    lines.push(`${missingThumbs} thumbnails are missing; they are created when they are requested.`);
  if (total === 0) return [...lines, 'No problems found.'];
  const rows = problems.map((problem) => [
    problem.invariant,
    problem.customerId === null ? '' : String(problem.customerId),
    problem.photoId === null ? '' : String(problem.photoId),
    problem.repaired ? 'yes' : 'no',
    problem.message,
  ]);
  const kinds = [...new Set(problems.map(({ invariant }) => invariant))];
  return [
    ...lines,
    '',
    ...table([['RULE', 'CUSTOMER', 'PHOTO', 'REPAIRED', 'PROBLEM'], ...rows]),
    ...(total > problems.length ? [`… and ${total - problems.length} more`] : []),
    '',
    ...kinds.map((kind) => `${kind}: ${invariants[kind]}.`),
    '',
    left === 0 ? 'All problems were repaired.' : `${left} problems remain. docs/operations.md explains what to do.`,
  ];
}

/** One line on a terminal that is overwritten; nothing elsewhere. */
class Progress {
  private shownAt = 0;

  show({ photos, blobs }: Checked): void {
    const now = performance.now();
    if (!process.stderr.isTTY || now - this.shownAt < 200) return;
    this.shownAt = now;
    process.stderr.write(`\r\x1b[K${photos} photos and ${blobs} stored files checked`);
  }

  clear(): void {
    if (this.shownAt > 0) process.stderr.write('\r\x1b[K');
  }
}
