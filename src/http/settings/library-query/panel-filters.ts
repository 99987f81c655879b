import { acceptedFormats } from '../../../core/media/formats.js';
import { type PhotoFilters, searchTerms } from '../../../core/photos/photo-query.js';
import { countryName } from '../../../core/photos/places.js';
import { searchText } from '../../../core/shared/text.js';
import { boxInWords, parseBox } from './box.js';

/** A filter of the panel: what its value in an address means, and how it is named among the active filters. */
interface PanelFilter {
  /** Null when the value means nothing. */
  readonly read: (value: string) => Partial<PhotoFilters> | null;
  readonly inWords: (value: string) => string;
  /** What is wrong with a value that means nothing. */
  readonly problem: string;
}

/** By their names in addresses. */
const filters = {
  rating: {
    read: (value) => (/^[0-5]$/.test(value) ? { minRating: Number(value) } : null),
    inWords: (value) => (value === '5' ? '5 stars' : `${value} stars or more`),
    problem: 'The rating must be a number of stars from 0 to 5.',
  },
  camera: {
    read: (value) => (searchText(value) === '' ? null : { camera: searchText(value) }),
    inWords: (value) => `Camera ${value}`,
    problem: 'The name of a camera must contain a letter or digit.',
  },
  lens: {
    read: (value) => wordsOf('lensWords', value),
    inWords: (value) => `Lens ${value}`,
    problem: 'The name of a lens must contain a letter or digit, and have at most 10 words.',
  },
  country: {
    read: (value) => (/^[A-Z]{2}$/.test(value) ? { country: value } : null),
    inWords: countryName,
    problem: 'There is no such country.',
  },
  place: {
    read: (value) => wordsOf('placeWords', value),
    inWords: (value) => `Place ${value}`,
    problem: 'The name of a place must contain a letter or digit, and have at most 10 words.',
  },
  box: {
    read: (value) => {
      const bbox = parseBox(value);
      return bbox && { bbox };
    },
    inWords: (value) => `Area ${boxInWords(value)}`,
    problem: 'The area must be four numbers in degrees: west, south, east, north.',
  },
  located: {
    read: (value) => yesOrNo(value, (hasLocation) => ({ hasLocation })),
    inWords: (value) => (value === 'yes' ? 'With a location' : 'Without a location'),
    problem: 'Photos either have a location or not.',
  },
  aspect: {
    read: (value) => (value === 'landscape' || value === 'portrait' || value === 'square' ? { aspect: value } : null),
    inWords: (value) => value.charAt(0).toUpperCase() + value.slice(1),
    problem: 'The shape must be landscape, portrait or square.',
  },
  format: {
    read: (value) => (acceptedFormats.some((format) => format.contentType === value) ? { contentType: [value] } : null),
    inWords: formatName,
    problem: 'There is no such format.',
  },
  tagged: {
    read: (value) => yesOrNo(value, (tagged) => ({ untagged: !tagged })),
    inWords: (value) => (value === 'yes' ? 'With tags' : 'Without tags'),
    problem: 'Photos either have tags or not.',
  },
} as const satisfies Readonly<Record<string, PanelFilter>>;

export type PanelName = keyof typeof filters;

export const panelNames = Object.keys(filters) as readonly PanelName[];

/** The values of an address, as text. Empty: not set. */
export type PanelValues = Readonly<Record<PanelName, string>>;

export function readPanel(text: (name: string) => string): PanelValues {
  return Object.fromEntries(panelNames.map((name) => [name, text(name)])) as Record<PanelName, string>;
}

export function panelInWords(name: PanelName, value: string): string {
  return filters[name].inWords(value);
}

/** What the values mean. Those that mean nothing are named, and filter nothing. */
export function panelFilters(values: PanelValues): { filters: Partial<PhotoFilters>; problems: readonly string[] } {
  const given = panelNames.filter((name) => values[name] !== '');
  const read = given.map((name) => ({ filter: filters[name].read(values[name]), problem: filters[name].problem }));
  return {
    filters: Object.assign({}, ...read.map(({ filter }) => filter)),
    problems: read.flatMap(({ filter, problem }) => (filter === null ? [problem] : [])),
  };
}

export function formatName(contentType: string): string {
  return acceptedFormats.find((format) => format.contentType === contentType)?.name ?? contentType;
}

function wordsOf(name: 'lensWords' | 'placeWords', value: string): Partial<PhotoFilters> | null {
  const words = searchTerms(value);
  return words === null || words.length === 0 ? null : { [name]: words };
}

function yesOrNo(value: string, read: (yes: boolean) => Partial<PhotoFilters>): Partial<PhotoFilters> | null {
  return value === 'yes' || value === 'no' ? read(value === 'yes') : null;
}
