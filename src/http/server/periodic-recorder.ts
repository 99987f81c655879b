import type { BeforeApplicationShutdown, OnModuleInit } from '@nestjs/common';

/** Notes in memory what requests did, and writes it in batches, the last one when the service ends: no request waits for it. */
export abstract class PeriodicRecorder implements OnModuleInit, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly everyMs: number) {}

  /** Writes what was noted so far. Does not fail. */
  abstract flush(): Promise<void>;

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), this.everyMs).unref();
  }

  /** The ports are closed at the shutdown itself. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }
}
