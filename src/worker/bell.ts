/** Keeps one ring for who comes to wait after it, so that nothing is missed between a look and the wait for the next. */
export class Bell {
  private rung = false;
  private answer = (): void => {};

  ring(): void {
    this.rung = true;
    this.answer();
  }

  /** Until the bell rings, or for so many milliseconds. */
  async wait(milliseconds?: number): Promise<void> {
    if (!this.rung) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.answer = resolve;
        if (milliseconds !== undefined) timer = setTimeout(resolve, milliseconds);
      });
      clearTimeout(timer);
    }
    this.rung = false;
  }
}
