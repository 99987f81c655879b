import { isOutage } from './errors.js';

export interface GatheringOptions {
  /** What is done together at most; 100 when absent. */
  readonly most?: number;
  /** Resolves when a call has waited long enough for those that were announced. Absent: it does not wait at all. */
  readonly patience?: () => Promise<void>;
  /** Whether each is asked for alone after `together` threw; true when absent. */
  readonly again?: boolean;
}

/** A call that is to come, for which others wait. Ended by the call, or by `withdraw`, which is of no effect after that. */
export interface Announced<In, Out> {
  do(given: In): Promise<Out>;
  withdraw(): void;
}

interface Call<In, Out> {
  readonly given: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

interface Group<In, Out> {
  readonly waiting: Call<In, Out>[];
  announced: number;
  busy: boolean;
  /** The waiting that is going on; another once what waited has been done. */
  patient: symbol | null;
}

/**
 * Does together what is asked for at the same time and has the same key: in one transaction, say. A call that comes alone is done at
 * once; those that come while others are done wait for them and are then done together. So none gets the answer of what began before it.
 */
export class Gathering<Key, In, Out> {
  private readonly groups = new Map<Key, Group<In, Out>>();
  private readonly most: number;
  private readonly patience: (() => Promise<void>) | undefined;
  private readonly again: boolean;

  /**
   * @param together Answers for each, in order; or throws, and has done nothing. Then, unless something it needs is away or `again`
   *   is false, it is asked for each alone, so that what is wrong with one is the error of no other.
   */
  constructor(
    private readonly together: (key: Key, given: readonly In[]) => Promise<readonly Out[]>,
    { most = 100, patience, again = true }: GatheringOptions = {},
  ) {
    this.most = most;
    this.patience = patience;
    this.again = again;
  }

  /** Errors: those of `together`. */
  do(key: Key, given: In): Promise<Out> {
    return this.join(key, this.groupOf(key), given);
  }

  announce(key: Key): Announced<In, Out> {
    const group = this.groupOf(key);
    group.announced += 1;
    let ended = false;
    const end = () => {
      if (!ended) group.announced -= 1;
      ended = true;
    };
    return {
      do: (given) => {
        end();
        return this.join(key, group, given);
      },
      withdraw: () => {
        end();
        this.begin(key, group);
      },
    };
  }

  private groupOf(key: Key): Group<In, Out> {
    const group = this.groups.get(key) ?? { waiting: [], announced: 0, busy: false, patient: null };
    this.groups.set(key, group);
    return group;
  }

  private join(key: Key, group: Group<In, Out>, given: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      group.waiting.push({ given, resolve, reject });
      this.begin(key, group);
    });
  }

  private begin(key: Key, group: Group<In, Out>): void {
    if (group.busy) return;
    if (group.waiting.length === 0) {
      // One that was announced in it may end when the key has another already.
      if (group.announced === 0 && this.groups.get(key) === group) this.groups.delete(key);
      return;
    }
    const isWorthWaiting = group.announced > 0 && group.waiting.length < this.most;
    if (isWorthWaiting && this.patience !== undefined) void this.wait(key, group, this.patience);
    else void this.act(key, group);
  }

  private async wait(key: Key, group: Group<In, Out>, patience: () => Promise<void>): Promise<void> {
    if (group.patient !== null) return;
    const own = Symbol('patient');
    group.patient = own;
    await patience();
    if (group.patient === own && !group.busy) await this.act(key, group);
  }

  private async act(key: Key, group: Group<In, Out>): Promise<void> {
    group.patient = null;
    group.busy = true;
    await this.settle(key, group.waiting.splice(0, this.most));
    group.busy = false;
    this.begin(key, group);
  }

  private async settle(key: Key, calls: readonly Call<In, Out>[]): Promise<void> {
    try {
      const given = calls.map((call) => call.given);
      const answers = await this.together(key, given);
      for (const [index, call] of calls.entries()) call.resolve(answers[index] as Out);
    } catch (error) {
      if (this.again && calls.length > 1 && !isOutage(error)) for (const call of calls) await this.settle(key, [call]);
      else for (const call of calls) call.reject(error);
    }
  }
}
