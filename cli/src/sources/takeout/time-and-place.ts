import type { DetailsBuilder } from '../../details-builder.js';
import { captureMoment } from './capture-moment.js';
import type { FileFacts } from './file-times.js';

/** The time and place of a photo that a service knows apart from its file. */
export interface KnownTimeAndPlace {
  /** Seconds since 1970 in UTC. */
  readonly instant: number | null;
  readonly position: {
    readonly latitude: number;
    readonly longitude: number;
    readonly altitude?: number | null;
  } | null;
  /** Where the photo was taken, or the zone that the user gave. */
  readonly zone: string | null;
}

/** Adds the capture time and the position of a photo, unless its file says the same: it says it more exactly. */
export function addTimeAndPlace(details: DetailsBuilder, known: KnownTimeAndPlace, facts: FileFacts): void {
  const { position } = known;
  if (position !== null && !isNear(position, facts.position))
    details.location(position.latitude, position.longitude, position.altitude);
  const moment = captureMoment(known.instant, facts, known.zone);
  if (moment === null) return;
  if ('local' in moment) {
    details.takenAtLocal(moment.local, moment.timeZone);
    return;
  }
  details.takenAt(moment.takenAt);
  if (!moment.isZoneKnown) details.lose('timeZone', 'incomplete', moment.takenAt);
}

/** Within about 100 m. */
function isNear(a: NonNullable<FileFacts['position']>, b: FileFacts['position']): boolean {
  return b !== null && Math.abs(a.latitude - b.latitude) < 0.001 && Math.abs(a.longitude - b.longitude) < 0.001;
}
