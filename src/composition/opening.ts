import type { OnApplicationShutdown } from '@nestjs/common';
import { reasonOf } from '../core/shared/errors.js';
import type { Log } from './open-database.js';

/** The resources that were opened, which are closed once: by Nest's hook, or after a failure. */
export class Opening implements OnApplicationShutdown {
  private readonly opened = new Map<string, Promise<unknown>>();
  private failure: { readonly error: unknown } | null = null;
  private closing: Promise<void> | null = null;

  /** @param order The names of what can be closed, in the order of closing. */
  constructor(
    private readonly order: readonly string[],
    private readonly log: Log,
  ) {}

  /** Makes one of them. Rejects, once everything is closed, with the first failure: what Nest makes meanwhile would stay open. */
  async open<T>(name: string, make: () => Promise<T>): Promise<T> {
    if (this.closing === null) {
      const made = make();
      this.opened.set(name, made);
      try {
        return await made;
      } catch (error) {
        this.failure ??= { error };
      }
    }
    await this.close();
    throw this.failure === null ? new Error(`It is closed: ${name}`) : this.failure.error;
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Closes all, those that are on their way as well. One that cannot be closed leaves no other open. */
  close(): Promise<void> {
    this.closing ??= this.closeAll();
    return this.closing;
  }

  private async closeAll(): Promise<void> {
    await Promise.allSettled(this.opened.values());
    const made = this.order.map((name) => this.opened.get(name)?.catch(() => null));
    for (const each of new Set(await Promise.all(made)) as Set<{ close?(): unknown } | null | undefined>) {
      try {
        await each?.close?.();
      } catch (error) {
        this.log(`Closing failed: ${reasonOf(error)}`, 'warn');
      }
    }
  }
}
