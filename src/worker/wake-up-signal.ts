/** Stores one signal for a later waiter, so that nothing is missed between checking for work and waiting. */
export class WakeUpSignal {
  private isSignalled = false;
  private wake = (): void => {};

  signal(): void {
    this.isSignalled = true;
    this.wake();
  }

  /** Until a signal arrives, or for so many milliseconds. */
  async wait(milliseconds?: number): Promise<void> {
    if (!this.isSignalled) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        if (milliseconds !== undefined) timer = setTimeout(resolve, milliseconds);
      });
      clearTimeout(timer);
    }
    this.isSignalled = false;
  }
}
