import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Id } from '../../core/shared/ids.js';
import { setNewest } from '../shared-work.js';
import { orAborted } from '../system-clock.js';

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Who asks, and until when. */
export interface Asking {
  readonly customerId: Id;
  readonly signal: AbortSignal;
}

/** All addresses of a name. Errors: `UnresolvedName`; the signal's reason. */
export type Lookup = (hostname: string, asking: Asking) => Promise<readonly Address[]>;

/** A name without addresses. The codes are those of getaddrinfo(3): there is no such name, or no server answered. */
class UnresolvedName extends Error {
  override readonly name = 'UnresolvedName';

  constructor(readonly code: 'ENOTFOUND' | 'EAI_AGAIN') {
    super(code);
  }
}

export interface CustomerNamesOptions {
  /** Name servers with their ports; default: those of the system. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  /** For one look-up, in milliseconds. */
  readonly timeout?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const HOSTS_FILE =
  process.platform === 'win32'
    ? join(process.env['SystemRoot'] ?? 'C:/Windows', 'System32/drivers/etc/hosts')
    : '/etc/hosts';
const TIMEOUT_MS = 2_000;
/** A customer's look-ups at the same time. */
const AT_ONCE = 4;
/** Period in which an answer is used again, a negative one too: long enough for many files of one server, short enough to notice a change. */
const REUSED_MS = 5_000;
const REMEMBERED = 1_000;

interface Answer {
  readonly name: string;
  readonly addresses: Promise<readonly Address[]>;
  /** On the clock; infinite until it has arrived. */
  until: number;
  /** Number of those who wait for it. */
  waiting: number;
  /** Ends the look-up. */
  cancel(): void;
}

/**
 * Resolves names that customers give, whose name servers may never answer: by the hosts file, then by c-ares, never by getaddrinfo(3), which
 * would occupy one of the process's few threads for as long as it takes. A look-up takes at most two seconds, and a customer has few at a
 * time, so that one customer's names delay no other's. Names must be complete: search domains are not tried.
 */
export class CustomerNames {
  readonly #options: CustomerNamesOptions;
  readonly #now: () => number;
  /** The answers, the oldest first. */
  readonly #answers = new Map<string, Answer>();
  readonly #running = new Map<Id, number>();
  readonly #waiting = new Map<Id, (() => void)[]>();

  constructor(options: CustomerNamesOptions = {}) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  readonly lookup: Lookup = async (hostname, { customerId, signal }) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const known = this.#known(name);
    if (known !== undefined) return this.#wait(known, signal);
    const turn = this.#inTurn(customerId, () => {
      signal.throwIfAborted();
      // Another look-up may have begun meanwhile.
      return this.#wait(this.#known(name) ?? this.#ask(name), signal);
    });
    return orAborted(turn, signal);
  };

  /** An answer, also one that is on its way. */
  #known(name: string): Answer | undefined {
    const answer = this.#answers.get(name);
    return answer !== undefined && this.#now() < answer.until ? answer : undefined;
  }

  /** A look-up that no request waits for is cancelled. */
  async #wait(answer: Answer, signal: AbortSignal): Promise<readonly Address[]> {
    answer.waiting += 1;
    try {
      return await orAborted(answer.addresses, signal);
    } finally {
      answer.waiting -= 1;
      if (answer.waiting === 0 && answer.until === Number.POSITIVE_INFINITY) {
        if (this.#answers.get(answer.name) === answer) this.#answers.delete(answer.name);
        answer.cancel();
      }
    }
  }

  #ask(name: string): Answer {
    const { servers, timeout = TIMEOUT_MS } = this.#options;
    const resolver = new Resolver({ timeout: Math.ceil(timeout / 2), tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    const limit = setTimeout(cancel, timeout);
    const addresses = this.#resolve(name, resolver).finally(() => clearTimeout(limit));
    const answer: Answer = { name, addresses, until: Number.POSITIVE_INFINITY, waiting: 0, cancel };
    setNewest(this.#answers, name, answer, REMEMBERED);
    const arrived = () => {
      answer.until = this.#now() + REUSED_MS;
    };
    addresses.then(arrived, arrived);
    return answer;
  }

  async #resolve(name: string, resolver: Resolver): Promise<readonly Address[]> {
    const fixed = addressesIn(await readFile(this.#options.hostsFile ?? HOSTS_FILE, 'utf8').catch(() => ''), name);
    if (fixed.length > 0) return fixed;
    // RFC 6761, 6.3.
    if (name === 'localhost' || name.endsWith('.localhost')) return [addressOf('127.0.0.1'), addressOf('::1')];
    const outcomes = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
    if (addresses.length > 0) return addresses.map(addressOf);
    const isAbsent = outcomes.every((outcome) => outcome.status === 'rejected' && ABSENT.includes(outcome.reason.code));
    throw new UnresolvedName(isAbsent ? 'ENOTFOUND' : 'EAI_AGAIN');
  }

  /** Waits while the customer has as many look-ups under way as it may have. */
  async #inTurn<T>(customerId: Id, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(customerId) ?? 0;
    if (running < AT_ONCE) this.#running.set(customerId, running + 1);
    else {
      const queue = this.#waiting.get(customerId) ?? [];
      this.#waiting.set(customerId, queue);
      // Who ends hands its place on.
      await new Promise<void>((begin) => queue.push(begin));
    }
    try {
      return await work();
    } finally {
      const queue = this.#waiting.get(customerId) ?? [];
      const next = queue.shift();
      if (queue.length === 0) this.#waiting.delete(customerId);
      const left = (this.#running.get(customerId) ?? 1) - 1;
      if (next !== undefined) next();
      else if (left > 0) this.#running.set(customerId, left);
      else this.#running.delete(customerId);
    }
  }
}

/** The errors of c-ares for a name that does not exist, or not with addresses of this kind. */
const ABSENT: readonly unknown[] = ['ENOTFOUND', 'ENODATA'];

/** hosts(5): each line an address and its names. */
function addressesIn(hosts: string, name: string): readonly Address[] {
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/);
    return isIP(address) > 0 && names.some((each) => each.toLowerCase() === name) ? [addressOf(address)] : [];
  });
}

function addressOf(address: string): Address {
  return { address, family: isIP(address) };
}
