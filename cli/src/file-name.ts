/**
 * The characters that are not seen and change how a text is read: control characters, those that set its direction (Unicode Standard Annex 9: `exe.gpj` shown
 * as `jpg.exe`), separators of lines, and halves of surrogate pairs, which are no text.
 */
export const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Names of devices on Windows, whatever ending they have. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])[. ]*(\.|$)/i;

/** The name without what no file system, or not every one, can take; the service's names have no folders in them, but it need not be trusted. */
export function fileName(name: string): string {
  // Enough of it for everything that is done with it, however long a server says that it is.
  const ends = name.length <= 2000 ? name : name.slice(0, 1000) + name.slice(-1000);
  const safe = ends
    .normalize('NFC')
    .replace(UNSEEN, '_')
    .replace(/[/\\:*?"<>|]/g, '_')
    .replace(/^\.+/, '_');
  const named = withEnd(safe);
  const free = DEVICE.test(named) ? `_${named}` : named;
  if (free === '') return '_';
  const { stem, ending } = parts(free);
  // No file system in use takes more than 255 bytes; room is left for a number. What is far too long is not shortened letter by letter.
  let short = stem.slice(0, 220);
  while (Buffer.byteLength(short + ending) > 220) short = [...short].slice(0, -1).join('');
  return withEnd(short + ending);
}

/** Whether a name stands for an entry of a folder, and for nothing outside of it. */
export function isEntryName(name: string): boolean {
  return !/[/\\\0]/.test(name) && !['', '.', '..'].includes(name) && Buffer.byteLength(name) <= 255;
}

/** Whether a path with slashes stands for something below a folder. */
export function isEntryPath(path: string): boolean {
  const parts = path.split('/');
  return parts.length <= 4 && parts.every(isEntryName);
}

/** `a.jpg` and 7 give `a (7).jpg`. */
export function numbered(name: string, id: number): string {
  const { stem, ending } = parts(name);
  return `${stem} (${id})${ending}`;
}

/** The names that the file of a photo may have: the first unless it is taken; the others have its id. */
export function photoNames({ id, filename }: { readonly id: number; readonly filename: string }): readonly string[] {
  const name = fileName(filename);
  return [name, numbered(name, id), numbered(`phs-${name}`, id)];
}

/** Names that some file system takes for one: case and composition of characters. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** The name with one `_` for the dots and spaces at its end, which Windows drops. */
function withEnd(name: string): string {
  let end = name.length;
  while (name[end - 1] === '.' || name[end - 1] === ' ') end -= 1;
  return end === name.length ? name : `${name.slice(0, end)}_`;
}

function parts(name: string): { stem: string; ending: string } {
  const ending = /\.[^.]{1,10}$/.exec(name)?.[0] ?? '';
  return { stem: name.slice(0, name.length - ending.length), ending };
}
