/** An answer whose status or headers depend on what happened. What a handler returns otherwise is the body of a 200. */
export class Reply {
  constructor(
    readonly status: number,
    readonly body: object | string | undefined,
    readonly headers: Readonly<Record<string, string | number>> = {},
  ) {}
}

/** What became of each part of a bulk request. It is no resource, so it has no ETag. */
export class Outcomes extends Reply {
  declare readonly body: { readonly data: readonly object[] };

  constructor(data: readonly object[]) {
    super(200, { data });
  }
}
