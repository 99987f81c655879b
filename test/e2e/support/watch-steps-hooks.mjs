let adapters;

export function initialize(names) {
  adapters = names;
}

/** Hands the classes of adapters over as soon as the bundle has defined them. */
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.includes('/dist/program/')) return loaded;
  const source = String(loaded.source);
  const there = adapters.filter((name) => source.includes(`var ${name} = class`));
  return there.length === 0 ? loaded : { ...loaded, source: `${source}\nwatchAdapters({ ${there.join(', ')} });` };
}
