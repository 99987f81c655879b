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

/** Thrown if a page must not be shown, or a form not be followed, with the answer to give instead. */
export class AnsweredInstead extends Error {
  override readonly name = 'AnsweredInstead';

  constructor(readonly reply: Reply) {
    super('another answer takes its place');
  }
}
