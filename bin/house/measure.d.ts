// biome-ignore lint/suspicious/noExplicitAny: the measures are looked into by the test of each.
export function measure(folder: string): any;
