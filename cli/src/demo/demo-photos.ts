import { blobSource, type ImportSource, type PhotoDetails } from 'photo-service-sdk';
import { type LightName, landscape, lights } from './landscape.js';

interface Place {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly timeZone: string;
  readonly tags: readonly string[];
  /** The first day there. */
  readonly day: string;
}

const places: readonly Place[] = [
  { name: 'Paris', latitude: 48.8566, longitude: 2.3522, timeZone: 'Europe/Paris', tags: ['City'], day: '2024-04-12' },
  {
    name: 'Reykjavík',
    latitude: 64.1466,
    longitude: -21.9426,
    timeZone: 'Atlantic/Reykjavik',
    tags: ['Sea', 'Mountains'],
    day: '2024-07-03',
  },
  { name: 'Kyoto', latitude: 35.0116, longitude: 135.7681, timeZone: 'Asia/Tokyo', tags: ['City'], day: '2024-11-20' },
  {
    name: 'Cape Town',
    latitude: -33.9249,
    longitude: 18.4241,
    timeZone: 'Africa/Johannesburg',
    tags: ['Sea', 'Mountains'],
    day: '2025-01-09',
  },
  {
    name: 'Valparaíso',
    latitude: -33.0472,
    longitude: -71.6127,
    timeZone: 'America/Santiago',
    tags: ['City', 'Sea'],
    day: '2025-03-15',
  },
  {
    name: 'Zermatt',
    latitude: 46.0207,
    longitude: 7.7491,
    timeZone: 'Europe/Zurich',
    tags: ['Mountains', 'Favourites'],
    day: '2025-08-22',
  },
];

const hours: Readonly<Record<LightName, string>> = {
  morning: '07:40:00',
  noon: '12:15:00',
  evening: '19:05:00',
  night: '23:20:00',
};

/** Days at each place. */
const DAYS = 2;
/** The number of photos that `demoPhotos` makes. */
export const DEMO_PHOTOS = places.length * DAYS * Object.keys(lights).length;

/** Generated photos of some journeys, as what `runImport` takes: each with a time, a place, tags and mostly a rating. */
export function* demoPhotos(): Generator<ImportSource> {
  let number = 0;
  for (const place of places) {
    for (let day = 0; day < DAYS; day += 1) {
      for (const light of Object.keys(lights) as LightName[]) {
        number += 1;
        const filename = `demo-${String(number).padStart(2, '0')}.png`;
        const blob = new Blob([landscape(number, light)], { type: 'image/png' });
        yield { ...blobSource({ blob, filename }), details: detailsOf(place, { number, day, light }) };
      }
    }
  }
}

function detailsOf(place: Place, shot: { number: number; day: number; light: LightName }): PhotoDetails {
  const { name, latitude, longitude, timeZone, tags, day } = place;
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + shot.day);
  // A few hundred metres apart, so that the map has something to cluster.
  const shift = (shot.number % 7) / 500;
  return {
    title: `${shot.light[0]?.toUpperCase()}${shot.light.slice(1)} in ${name}`,
    takenAtLocal: `${date.toISOString().slice(0, 10)}T${hours[shot.light]}`,
    timeZone,
    location: { latitude: latitude + shift, longitude: longitude - shift, altitude: null },
    tagNames: [name, ...tags],
    ...(shot.number % 4 !== 0 && { rating: 1 + (shot.number % 5) }),
  };
}
