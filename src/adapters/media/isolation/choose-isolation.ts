import type { DecoderPriority, MediaIsolation, WantedIsolation } from '../../../core/media/media-reader.js';
import { DomainError } from '../../../core/shared/errors.js';
import type { Isolation } from './isolation.js';
import { withPriority } from './low-priority.js';
import { otherAccount } from './other-account.js';
import { ownAccount } from './own-account.js';
import { sandbox } from './sandbox.js';

export interface ChosenIsolation extends MediaIsolation {
  readonly isolation: Isolation;
}

/**
 * The best level that works, or the requested one. Tried, not deduced: it depends on the kernel, containers and security modules.
 * @param start Starts a process at a level; returns null, or why it does not run. Errors: `service_unavailable` when none works, with the
 * reasons.
 */
export async function chooseIsolation(
  wanted: WantedIsolation,
  priority: DecoderPriority,
  start: (isolation: Isolation) => Promise<string | null>,
): Promise<ChosenIsolation> {
  const refused: MediaIsolation['refused'][number][] = [];
  for (const candidate of candidates().filter(({ level }) => wanted === 'auto' || level === wanted)) {
    const isolation = withPriority(candidate, priority);
    const reason = await start(isolation);
    if (reason === null) return { level: isolation.level, isolation, refused };
    refused.push({ level: isolation.level, reason: sentence(reason) });
  }
  const reasons = [...new Set(refused.map(({ level, reason }) => `${level}: ${reason}`))].join(' ');
  const unsupported = 'sandbox needs Linux on x64 or arm64, user needs Linux and root.';
  const message = `No media process can be started with MEDIA_ISOLATION=${wanted}. ${reasons || unsupported}`;
  throw new DomainError('service_unavailable', message);
}

/** A reason without what the runtime prints when a program cannot even be loaded: the place in its own sources, and the stack. */
function sentence(reason: string): string {
  const [first = '', ...others] = reason.split('\n');
  const error = others.find((line) => /^[A-Z][A-Za-z]*: /.test(line));
  const text = error === undefined ? first : `${first.split(': ', 1)[0]}: ${error}`;
  return text.endsWith('.') ? text : `${text}.`;
}

function candidates(): readonly Isolation[] {
  const { platform, arch } = process;
  const isLinux = platform === 'linux';
  return [
    ...(isLinux && (arch === 'x64' || arch === 'arm64') ? [sandbox(arch)] : []),
    ...(isLinux && process.geteuid?.() === 0 ? [otherAccount()] : []),
    ...(isLinux ? [ownAccount(true)] : []),
    ownAccount(false),
  ];
}
