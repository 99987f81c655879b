/** So many places for pictures that are read at the same time; one that is to be alone has all of them. First come, first served. */
export class Places {
  readonly #waiting: { readonly alone: boolean; readonly wake: () => void }[] = [];
  #taken = 0;
  #isAlone = false;

  constructor(private readonly count: number) {}

  /** Resolves when the place is there, which must be left again. */
  async take(alone: boolean): Promise<void> {
    const turn = new Promise<void>((wake) => this.#waiting.push({ alone, wake }));
    this.#letIn();
    await turn;
  }

  leave(): void {
    this.#taken -= 1;
    this.#isAlone = false;
    this.#letIn();
  }

  /** Who waits to be alone holds up those behind: else its turn might never come. */
  #letIn(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#isFree(next.alone); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#taken += 1;
      this.#isAlone = next.alone;
      next.wake();
    }
  }

  #isFree(alone: boolean): boolean {
    return alone ? this.#taken === 0 : this.#taken < this.count && !this.#isAlone;
  }
}
