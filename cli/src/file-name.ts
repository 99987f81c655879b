/** The name without what no file system, or not every one, can take; the service's names have no folders in them, but it need not be trusted. */
export function fileName(name: string): string {
  const safe = name
    .normalize('NFC')
    .replace(/[\p{Cc}/\\:*?"<>|]/gu, '_')
    .replace(/^\.+|[. ]+$/g, '_');
  return safe === '' ? '_' : cut(safe);
}

/** `a.jpg` and 7 give `a (7).jpg`. */
export function numbered(name: string, id: number): string {
  const { stem, ending } = parts(name);
  return `${stem} (${id})${ending}`;
}

/** Names that some file system takes for one: case and composition of characters. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** No file system in use takes more than 255 bytes; room is left for a number and `.part`. */
function cut(name: string): string {
  const { stem, ending } = parts(name);
  let short = stem;
  while (Buffer.byteLength(short + ending) > 220) short = [...short].slice(0, -1).join('');
  return short + ending;
}

function parts(name: string): { stem: string; ending: string } {
  const ending = /\.[^.]{1,10}$/.exec(name)?.[0] ?? '';
  return { stem: name.slice(0, name.length - ending.length), ending };
}
