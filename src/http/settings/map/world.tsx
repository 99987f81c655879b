import type { HttpOptions } from '../../http-options.js';
import { assetUrl } from '../assets.js';
import { iconShapes } from '../icon-shapes.js';
import { type Point, type View, WORLD } from './projection.js';
import { tilesOf } from './tiles.js';

/** Land and borders, and the world again to either side: a view may cross 180°. */
export function WorldShapes() {
  return (
    <>
      {[-WORLD, 0, WORLD].map((x) => (
        <g key={x} transform={`translate(${x} 0)`}>
          <rect class="sea" width={WORLD} height={WORLD} />
          <use class="land" href={`${assetUrl('world.svg')}#land`} />
          <use class="borders" href={`${assetUrl('world.svg')}#borders`} />
        </g>
      ))}
    </>
  );
}

/** Tiles overlap by one of their pixels: where edges meet between two of the screen, what is below would shine through. */
const OVERLAP = 1 + 1 / 256;

/** Pictures of the operator's tile server; nothing if there is none. Maps that are moved get those of the new view from the page of the map. */
export function MapTiles({ tiles, view }: { tiles: HttpOptions['mapTiles']; view: View }) {
  if (!tiles) return null;
  return (
    <g data-map="tiles">
      {tilesOf(tiles.url, view).map(({ url, x, y, size }) => (
        <image
          key={`${x} ${y}`}
          href={url}
          x={x}
          y={y}
          width={size * OVERLAP}
          height={size * OVERLAP}
          preserveAspectRatio="none"
        />
      ))}
    </g>
  );
}

/** What marks a place. Its tip is the point, and it has the same size at every zoom. */
export function Pin({ point, scale }: { point: Point | null; scale: number }) {
  const { x, y } = point ?? { x: 0, y: 0 };
  return (
    <g
      class="pin"
      data-map="pin"
      transform={`translate(${x} ${y}) scale(${scale})`}
      display={point === null ? 'none' : undefined}
    >
      <circle cy="-12" r="4" />
      <path d={iconShapes['map-pin']} transform="translate(-12 -22)" />
    </g>
  );
}

/** Zooms around the middle. */
export const zooms = [
  { name: 'in', label: 'Zoom in', text: '+', factor: 0.5 },
  { name: 'out', label: 'Zoom out', text: '−', factor: 2 },
] as const;

/** Where pictures of pages with a map may come from. */
export function tileOrigins({ mapTiles }: Pick<HttpOptions, 'mapTiles'>): readonly string[] {
  return mapTiles ? [new URL(mapTiles.url).origin] : [];
}
