/** A response whose status or headers depend on the result. Otherwise a handler returns the body of a 200. */
export class Reply {
  constructor(
    readonly status: number,
    readonly body: object | string | undefined,
    readonly headers: Readonly<Record<string, string | number>> = {},
  ) {}
}

/** The outcome of each part of a bulk request. It is not a resource, so it has no ETag. */
export class Outcomes extends Reply {
  declare readonly body: { readonly data: readonly object[] };

  constructor(data: readonly object[]) {
    super(200, { data });
  }
}
