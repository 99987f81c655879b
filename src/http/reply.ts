/** An answer whose status or headers depend on what happened. What a handler returns otherwise is the body of a 200. */
export class Reply {
  constructor(
    readonly status: number,
    readonly body: object | undefined,
    readonly headers: Readonly<Record<string, string | number>> = {},
  ) {}
}
