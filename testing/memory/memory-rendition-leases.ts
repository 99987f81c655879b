import type { RenditionLease, RenditionLeases } from '../../src/adapters/shared-rendition-maker.js';

/** Shared by processes of a test. */
export class MemoryRenditionLeases implements RenditionLeases {
  private readonly held = new Map<string, { token: string; until: number }>();

  async acquire(lease: RenditionLease, seconds: number): Promise<boolean> {
    if ((this.held.get(lease.key)?.until ?? 0) > performance.now()) return false;
    this.held.set(lease.key, { token: lease.token, until: performance.now() + seconds * 1000 });
    return true;
  }

  async extend(lease: RenditionLease, seconds: number): Promise<void> {
    const held = this.held.get(lease.key);
    if (held?.token === lease.token) held.until = performance.now() + seconds * 1000;
  }

  async release(lease: RenditionLease): Promise<void> {
    if (this.held.get(lease.key)?.token === lease.token) this.held.delete(lease.key);
  }

  /** Ends the leases, as passing time does. */
  expire(): void {
    for (const held of this.held.values()) held.until = 0;
  }
}
