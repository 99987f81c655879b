/** Keeps one ring for who comes to wait after it, so that nothing is missed between a look and the wait for the next. */
export class WakeUpSignal {
  private isSignalled = false;
  private wake = (): void => {};

  signal(): void {
    this.isSignalled = true;
    this.wake();
  }

  /** Until the bell rings, or for so many milliseconds. */
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
