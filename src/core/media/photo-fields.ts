import type { FieldError } from '../shared/errors.js';
import { cleanText, textErrors, truncate } from '../shared/text.js';
import type { GeoPoint } from './picture-metadata.js';

/*
 * The fields of a photo that people or files give it, each declared once. What a photo, an import's item, their patches, tables, views, forms
 * and the reader of files have of a field follows from its declaration here. Fields that depend on each other or on the picture are written by
 * hand where they belong: the file name, the capture time, rotation and focus, `metadata`.
 */

/** Who gives a photo its value: its file, a client, or its file unless a client does. */
export type Setter = 'file' | 'client' | 'client or file';

/** A tag of a file: `exif:`, `xmp:` or `iptc:`, and its name as ExifReader has it. */
export type FileTag = `${'exif' | 'xmp' | 'iptc'}:${string}`;

/** The parts that all kinds of fields have. A client gives `Given`; a photo has `Value`. */
interface Declared<Value, Given> {
  /** For people. */
  readonly label: string;
  /** For those who write clients: a sentence. */
  readonly about: string;
  readonly example: unknown;
  readonly setBy: Setter;
  /** Where a file may state it, most trusted first. */
  readonly fileTags: readonly FileTag[];
  /** Whether its words are found by the parameter `q`. */
  readonly searched: boolean;
  /** The value of a photo that has none, and what null stands for in a patch. */
  readonly empty: Value;
  /** Problems with a value that a client gives, whose type is right. */
  errors(field: string, given: Given): readonly FieldError[];
  /** Returns it as it is stored, if it has no errors. */
  stored(given: Given): Value;
}

export interface TextField extends Declared<string | null, string> {
  readonly kind: 'text';
  /** In code points, as it is stored. A file's longer text is cut. */
  readonly max: number;
  /** The height of its input: more than one if it may have line breaks. */
  readonly lines: number;
}

export interface TextsField extends Declared<readonly string[], readonly string[]> {
  readonly kind: 'texts';
  readonly example: readonly string[];
  readonly maxEntries: number;
  /** In code points, of each. */
  readonly max: number;
}

export interface WholeField extends Declared<number | null, number> {
  readonly kind: 'whole';
  readonly min: number;
  readonly max: number;
}

export interface FlagField extends Declared<boolean, boolean> {
  readonly kind: 'flag';
}

export interface PositionField extends Declared<GeoPoint | null, GivenPoint> {
  readonly kind: 'position';
}

export type PhotoField = TextField | TextsField | WholeField | FlagField | PositionField;

export type GivenPoint = Omit<GeoPoint, 'altitude'> & { readonly altitude?: number | null | undefined };

/** The parts of a declaration that do not depend on the kind. */
interface Said<By extends Setter>
  extends Pick<PhotoField, 'label' | 'about' | 'example'>,
    Partial<Pick<PhotoField, 'fileTags' | 'searched'>> {
  readonly setBy: By;
}

const common = <By extends Setter>({ fileTags = [], searched = false, ...said }: Said<By>) => {
  return { ...said, fileTags, searched };
};

type Of<Kind, By> = Kind & { readonly setBy: By };

function text<By extends Setter>({ max, lines = 1, ...said }: Said<By> & { max: number; lines?: number }) {
  const errors = (field: string, given: string) => textErrors(field, given, max);
  return { ...common(said), kind: 'text', max, lines, empty: null, errors, stored: cleanText } as Of<TextField, By>;
}

function texts<By extends Setter>({
  max,
  maxEntries,
  ...said
}: Said<By> & { max: number; maxEntries: number; example: readonly string[] }) {
  const errors = (field: string, given: readonly string[]) => given.flatMap((entry) => textErrors(field, entry, max));
  const stored = (given: readonly string[]) => {
    const cut = given.map((entry) => truncate(cleanText(entry), max).trim()).filter((entry) => entry !== '');
    return [...new Set(cut)].slice(0, maxEntries);
  };
  return { ...common(said), kind: 'texts', max, maxEntries, empty: [], errors, stored } as Of<TextsField, By>;
}

function whole<By extends Setter>({ min, max, ...said }: Said<By> & { min: number; max: number }) {
  const errors = (field: string, given: number) => rangeErrors(field, given, { min, max, whole: true });
  const stored = (given: number) => given;
  return { ...common(said), kind: 'whole', min, max, empty: null, errors, stored } as Of<WholeField, By>;
}

function flag<By extends Setter>(said: Said<By>) {
  const stored = (given: boolean) => given;
  return { ...common(said), kind: 'flag', empty: false, errors: () => [], stored } as Of<FlagField, By>;
}

function position<By extends Setter>(said: Said<By>) {
  const stored = ({ latitude, longitude, altitude }: GivenPoint) => ({
    latitude,
    longitude,
    altitude: altitude ?? null,
  });
  const errors = (field: string, { latitude, longitude, altitude }: GivenPoint) => [
    ...rangeErrors(`${field}.latitude`, latitude, latitudes),
    ...rangeErrors(`${field}.longitude`, longitude, longitudes),
    ...rangeErrors(`${field}.altitude`, altitude, altitudes),
  ];
  return { ...common(said), kind: 'position', empty: null, errors, stored } as Of<PositionField, By>;
}

export const photoFields = {
  title: text({
    label: 'Title',
    about: 'A short title.',
    example: 'Eiffel Tower',
    setBy: 'client or file',
    fileTags: ['xmp:title', 'iptc:Object Name'],
    searched: true,
    max: 255,
  }),
  description: text({
    label: 'Description',
    about: 'A longer text.',
    example: 'From the Trocadéro, just before the rain.',
    setBy: 'client or file',
    fileTags: ['xmp:description', 'iptc:Caption/Abstract', 'exif:ImageDescription'],
    searched: true,
    max: 10_000,
    lines: 4,
  }),
  location: position({
    label: 'Location',
    about: 'Where the photo was taken. Null if unknown.',
    example: undefined,
    setBy: 'client or file',
    fileTags: ['exif:GPSLatitude', 'xmp:GPSLatitude'],
  }),
  rating: whole({
    label: 'Rating',
    about: 'A rating in stars. Null if unrated.',
    example: 4,
    setBy: 'client or file',
    fileTags: ['xmp:Rating', 'exif:Rating'],
    min: 0,
    max: 5,
  }),
  favorite: flag({
    label: 'Favourite',
    about: 'Whether it is one of the favourites. False at first.',
    example: false,
    setBy: 'client',
  }),
  // The order of the Metadata Working Group's guidelines (2.0, §5), as for `copyright` and `keywords`.
  creator: text({
    label: 'Creator',
    about: 'Who made the photo; several are separated by `; `.',
    example: 'Ada Lovelace',
    setBy: 'client or file',
    fileTags: ['xmp:creator', 'iptc:By-line', 'exif:Artist'],
    searched: true,
    max: 255,
  }),
  copyright: text({
    label: 'Copyright',
    about: 'The copyright notice.',
    example: '© 2026 Analytical Pictures',
    setBy: 'client or file',
    fileTags: ['xmp:rights', 'iptc:Copyright Notice', 'exif:Copyright'],
    max: 1000,
    lines: 2,
  }),
  keywords: texts({
    label: 'Keywords',
    about: 'The keywords in the file; a keyword below another one is written `Places/Paris`.',
    example: ['Paris', 'Places/Paris'],
    setBy: 'file',
    fileTags: ['xmp:subject', 'xmp:hierarchicalSubject', 'xmp:TagsList', 'iptc:Keywords'],
    maxEntries: 100,
    max: 100,
  }),
  externalId: text({
    label: 'External id',
    about: 'Your own identifier for the photo. You can search by it; it need not be unique.',
    example: 'shoot-17/3701',
    setBy: 'client',
    max: 255,
  }),
} as const satisfies Readonly<Record<string, PhotoField>>;

export type FieldName = keyof typeof photoFields;

type Value<Name extends FieldName> = (typeof photoFields)[Name]['empty'];
type Given<Name extends FieldName> = Parameters<(typeof photoFields)[Name]['stored']>[0];
type SetBy<Name extends FieldName, By extends Setter> = (typeof photoFields)[Name]['setBy'] extends By ? Name : never;

export type FileField = { [Name in FieldName]: SetBy<Name, 'file' | 'client or file'> }[FieldName];
export type ClientField = { [Name in FieldName]: SetBy<Name, 'client' | 'client or file'> }[FieldName];

export type FieldValues<Name extends FieldName = FieldName> = { readonly [Each in Name]: Value<Each> };
/** The values that a client declares; null means: take it from the file. */
export type DeclaredValues = { readonly [Name in ClientField]: Value<Name> | null };
/** The values that a client sends: a field that it does not send stays as it is, and null clears. */
export type GivenValues = { readonly [Name in ClientField]?: Given<Name> | null | undefined };

const entries = Object.entries(photoFields) as [FieldName, Declared<unknown, unknown> & PhotoField][];

export const fieldNames = Object.keys(photoFields) as readonly FieldName[];
export const clientFields = fieldNames.filter((name): name is ClientField => photoFields[name].setBy !== 'file');
export const fileFields = fieldNames.filter((name): name is FileField => photoFields[name].setBy !== 'client');

export function valuesOf<Name extends FieldName, T>(
  names: readonly Name[],
  value: (name: Name) => T,
): { readonly [Each in Name]: T } {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as { readonly [Each in Name]: T };
}

/** Problems with what a client sends, with `prefix` before each field's name. */
export function givenErrors(given: GivenValues, prefix = ''): readonly FieldError[] {
  return entries.flatMap(([name, field]) => {
    const value = given[name as ClientField];
    return value === undefined || value === null ? [] : field.errors(`${prefix}${name}`, value as never);
  });
}

/** The values of a photo after a patch without errors. */
export function patchedValues(current: FieldValues, given: GivenValues): FieldValues {
  return Object.fromEntries(
    entries.map(([name, field]) => {
      const value = given[name as ClientField];
      if (value === undefined) return [name, current[name]];
      return [name, value === null ? field.empty : field.stored(value as never)];
    }),
  ) as FieldValues;
}

/** Returns what a client declares for a file by what it sends. */
export function declaredValues(given: GivenValues): DeclaredValues {
  return valuesOf(clientFields, (name) => {
    const value = given[name];
    return value === undefined || value === null ? null : photoFields[name].stored(value as never);
  }) as DeclaredValues;
}

/** The values of a new photo: what the client declares takes precedence over what the file states, which may be of an earlier release. */
export function initialValues(declared: DeclaredValues, found: Partial<FieldValues<FileField>>): FieldValues {
  return valuesOf(
    fieldNames,
    (name) => declared[name as ClientField] ?? found[name as FileField] ?? photoFields[name].empty,
  ) as FieldValues;
}

/** The texts whose words `q` finds. */
export function searchedValues(values: FieldValues): readonly string[] {
  return entries.flatMap(([name, field]) =>
    field.searched && values[name] !== null ? [values[name]].flat() : [],
  ) as string[];
}

export interface Range {
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
}

/** Degrees (WGS84). */
export const latitudes: Range = { min: -90, max: 90 };
export const longitudes: Range = { min: -180, max: 180 };
/** Metres above sea level. */
export const altitudes: Range = { min: -12_000, max: 100_000 };

export function isWithin({ min, max }: Range, value: number): boolean {
  return value >= min && value <= max;
}

export function rangeErrors(field: string, value: number | null | undefined, range: Range): readonly FieldError[] {
  if (value === null || value === undefined) return [];
  const { min, max, whole = false } = range;
  if (isWithin(range, value) && (!whole || Number.isInteger(value))) return [];
  const message = `${field} must be ${whole ? 'a whole number from ' : ''}${min} to ${max}.`;
  return [{ field, code: 'out_of_range', message, min, max }];
}
