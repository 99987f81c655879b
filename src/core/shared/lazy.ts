/** A value that is opened by the first call, and shared by all. A failure is only that of the calls that waited: the next call opens it again. */
export class Lazy<T> {
  #opened: Promise<T> | null = null;

  constructor(private readonly open: () => Promise<T>) {}

  /** Null unless it is open, or being opened. */
  get opened(): Promise<T> | null {
    return this.#opened;
  }

  async get(): Promise<T> {
    this.#opened ??= this.open();
    const opened = this.#opened;
    try {
      return await opened;
    } catch (error) {
      if (this.#opened === opened) this.#opened = null;
      throw error;
    }
  }
}
