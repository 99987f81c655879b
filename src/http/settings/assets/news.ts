/** For those who wait until something has changed, and then look what it was. */
export class News {
  private coming: Promise<void> | null = null;
  private arrive = () => {};

  come(): Promise<void> {
    this.coming ??= new Promise((resolve) => {
      this.arrive = resolve;
    });
    return this.coming;
  }

  tell(): void {
    this.coming = null;
    this.arrive();
  }
}
