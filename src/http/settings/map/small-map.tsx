import type { GeoPoint } from '../../../core/media/picture-metadata.js';
import { assetUrl } from '../assets.js';
import { boxText } from '../library/box.js';
import { pointAt, WORLD } from './projection.js';

/** Steps of the map from edge to edge: about as much as a country. */
const [WIDE, HIGH] = [360, 180];
/** Degrees to each side, on the page of the map. */
const AROUND = 0.25;

/** Where a photo was taken; leads to the map there. The place is written beside it. */
export function SmallMap({ point: { latitude, longitude } }: { point: GeoPoint }) {
  const { x, y } = pointAt(latitude, longitude);
  const top = Math.min(Math.max(0, y - HIGH / 2), WORLD - HIGH);
  return (
    <a class="small-map" href={`/settings/map?box=${boxAround(latitude, longitude)}`}>
      <svg viewBox={`${x - WIDE / 2} ${top} ${WIDE} ${HIGH}`} aria-hidden="true" focusable="false">
        {[-WORLD, 0, WORLD].map((offset) => (
          <g key={offset} transform={`translate(${offset} 0)`}>
            <use class="land" href={`${assetUrl('world.svg')}#land`} />
            <use class="borders" href={`${assetUrl('world.svg')}#borders`} />
          </g>
        ))}
        <circle cx={x} cy={y} r={WIDE / 50} />
      </svg>
      <span class="unseen">Show on the map</span>
    </a>
  );
}

function boxAround(latitude: number, longitude: number): string {
  const wrapped = (degrees: number) => ((((degrees + 180) % 360) + 360) % 360) - 180;
  const [south, north] = [Math.max(-85, latitude - AROUND), Math.min(85, latitude + AROUND)];
  return boxText([wrapped(longitude - AROUND), south, wrapped(longitude + AROUND), north]);
}
