/**
 * Which JSON file of a Takeout folder describes which media file. Takeout names them after the media file, with `.supplemental-metadata` in newer
 * exports, cut to 46 characters; the number of a repeated name stands at the end of the JSON's name, but within the media file's.
 */
export class SidecarMatch {
  private readonly sidecars: readonly SidecarName[];
  private readonly exact = new Map<string, SidecarName>();

  /** @param names Of the JSON files, with the title that each has inside. */
  constructor(names: readonly { readonly name: string; readonly title: string | null }[]) {
    this.sidecars = names.map(({ name, title }) => ({ name, title, ...parsed(name) }));
    for (const each of this.sidecars) {
      const key = exactKey(each.about, each.number);
      if (!this.exact.has(key)) this.exact.set(key, each);
    }
  }

  /** The name of the JSON file; null where none is this one's. */
  find(media: string): string | null {
    const { stem, ending, number } = numbered(media);
    const name = stem + ending;
    // A number may be part of the title, and not given by Takeout.
    const exact = this.exact.get(exactKey(name, number)) ?? this.exact.get(exactKey(media, null));
    if (exact !== undefined) return exact.name;
    const equal = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
    const ways: readonly ((each: SidecarName) => boolean)[] = [
      (each) => each.number === number && equal(each.about, name),
      // The titles of cut names begin alike; what the file has of its own is cut elsewhere.
      (each) =>
        each.number === number &&
        each.isCut &&
        name.startsWith(each.about) &&
        each.title !== null &&
        withoutEnding(each.title).startsWith(withoutEnding(name)),
      (each) => each.number === number && each.isCut && name.startsWith(each.about),
      (each) => each.number === null && each.isCut && media.startsWith(each.about),
      // The title had no ending, or another one than the file got.
      (each) => each.number === number && equal(each.about, stem),
      (each) => each.number === number && equal(withoutEnding(each.about), stem),
    ];
    for (const way of ways) {
      const found = this.sidecars.find(way);
      if (found !== undefined) return found.name;
    }
    return null;
  }
}

interface SidecarName {
  readonly name: string;
  readonly title: string | null;
  /** The name of the media file, or its beginning. */
  readonly about: string;
  readonly number: number | null;
  /** Whether something may be missing from the end of `about`. */
  readonly isCut: boolean;
}

function exactKey(about: string, number: number | null): string {
  return `${number ?? ''}:${about}`;
}

const MOST = 46;

function parsed(name: string): Pick<SidecarName, 'about' | 'number' | 'isCut'> {
  const base = name.replace(/\.json$/i, '');
  const [, plain = base, number = null] = /^(.*)\((\d+)\)$/.exec(base) ?? [];
  const dot = plain.lastIndexOf('.');
  const isSupplement = dot > 0 && 'supplemental-metadata'.startsWith(plain.slice(dot + 1));
  return {
    about: isSupplement ? plain.slice(0, dot) : plain,
    number: number === null ? null : Number(number),
    isCut: [...plain].length >= MOST,
  };
}

/** `IMG(1).jpg` is the second file of the title `IMG.jpg`. */
function numbered(media: string): { stem: string; ending: string; number: number | null } {
  const ending = /\.[^.]*$/.exec(media)?.[0] ?? '';
  const whole = media.slice(0, media.length - ending.length);
  const [, stem = whole, number = null] = /^(.+)\((\d+)\)$/.exec(whole) ?? [];
  return { stem, ending, number: number === null ? null : Number(number) };
}

export function withoutEnding(name: string): string {
  return name.replace(/\.[^.]*$/, '');
}

/** The suffixes that Takeout adds to the name of an edited version, by the language of the account. */
const EDITED = [
  'edited',
  'effects',
  'smile',
  'mix',
  'bearbeitet',
  'modifié',
  'editado',
  'editada',
  'modificato',
  'modificata',
  'bewerkt',
  'edytowane',
  'redigerad',
  'redigeret',
  'redigert',
  'muokattu',
  'upraveno',
  'upravené',
  'szerkesztve',
  'editat',
  'düzenlendi',
  'изменено',
  'відредаговано',
  'επεξεργασμένο',
  'ha editado',
  '編集済み',
  '已修改',
  '已編輯',
  '已编辑',
  '수정됨',
  '편집됨',
] as const;

/**
 * The name of the original of an edited version; null for a name of no such version. The addition too may be cut, where the name is as long
 * as names can be.
 */
export function originalName(media: string): string | null {
  const ending = /\.[^.]*$/.exec(media)?.[0] ?? '';
  const whole = media.slice(0, media.length - ending.length);
  const [, plain = whole, number = ''] = /^(.+?)(\(\d+\))$/.exec(whole) ?? [];
  const dash = plain.lastIndexOf('-');
  const addition = plain
    .slice(dash + 1)
    .normalize('NFC')
    .toLowerCase();
  if (dash < 1 || addition === '') return null;
  const isCut = [...whole].length >= MOST;
  const isEdited = EDITED.some((word) => word === addition || (isCut && word.startsWith(addition)));
  return isEdited ? plain.slice(0, dash) + number + ending : null;
}
