import type { ComponentChildren } from 'preact';
import type { GeoBox, GeoPoint } from '../../core/media/picture-metadata.js';
import type { HttpOptions } from '../../http/http-options.js';
import { assetUrl } from '../assets.controller.js';
import { iconShapes } from '../icon-shapes.js';
import { boxText } from '../library-query/library-query.js';
import { useHasArea } from '../page-context.js';

/** Steps of the map from edge to edge: about as much as a country. */
const [WIDE, HIGH] = [360, 180];
/** Its width in pixels, about (map.css). */
const PIXELS = 352;
/** Degrees to each side, on the page of the map. */
const AROUND = 0.25;

type Position = Pick<GeoPoint, 'latitude' | 'longitude'>;

/** Where a photo was taken; leads to the map there, if there is one. The place is written beside it. */
export function SmallMap({ position }: { position: Position }) {
  const drawing = <Drawing position={position} view={viewAround(position)} label={null} />;
  if (!useHasArea('map')) return <span class="map small-map">{drawing}</span>;
  return (
    <a class="map small-map" href={mapPathAround(position)}>
      {drawing}
      <span class="unseen">Show on the map</span>
    </a>
  );
}

interface DrawingProps {
  readonly position: Position | null;
  readonly view: View;
  /** Null: what it shows is said elsewhere. */
  readonly label: string | null;
  /** Between the shapes and the pin. */
  readonly children?: ComponentChildren;
}

/** A part of the map, with a pin where the position is. */
export function Drawing({ position, view, label, children }: DrawingProps) {
  const { x, y, width, height } = view;
  const point = position ? pointAt(position.latitude, position.longitude) : { x: 0, y: 0 };
  return (
    <svg viewBox={`${x} ${y} ${width} ${height}`} role="img" aria-label={label ?? ''} aria-hidden={label === null}>
      <WorldShapes />
      {children}
      {/* Without a position it waits for one. Its tip is the point, and it has the same size at every zoom. */}
      <g
        class="pin"
        data-map="pin"
        transform={`translate(${point.x} ${point.y}) scale(${width / PIXELS})`}
        display={position === null ? 'none' : undefined}
      >
        <circle cy="-12" r="4" />
        <path d={iconShapes['map-pin']} transform="translate(-12 -22)" />
      </g>
    </svg>
  );
}

/** Returns a view as wide as a country, with the position in its middle; the whole world without one. */
export function viewAround(position: Position | null): View {
  if (position === null) return viewOf(WHOLE);
  const { x, y } = pointAt(position.latitude, position.longitude);
  return { x: x - WIDE / 2, y: Math.min(Math.max(0, y - HIGH / 2), WORLD - HIGH), width: WIDE, height: HIGH };
}

export function mapPathAround({ latitude, longitude }: Position): string {
  const wrapped = (degrees: number) => ((((degrees + 180) % 360) + 360) % 360) - 180;
  const [south, north] = [Math.max(-85, latitude - AROUND), Math.min(85, latitude + AROUND)];
  return `/settings/map?box=${boxText([wrapped(longitude - AROUND), south, wrapped(longitude + AROUND), north])}`;
}

/** Land and borders, and the world again to either side: a view may cross 180°. */
export function WorldShapes() {
  return (
    <>
      {[-WORLD, 0, WORLD].map((x) => (
        <g key={x} transform={`translate(${x} 0)`}>
          <rect class="sea" width={WORLD} height={WORLD} />
          <use class="land" href={`${assetUrl('map/world.svg')}#land`} />
          <use class="borders" href={`${assetUrl('map/world.svg')}#borders`} />
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

export const zooms = [
  { name: 'in', label: 'Zoom in', text: '+', factor: 0.5 },
  { name: 'out', label: 'Zoom out', text: '−', factor: 2 },
] as const;

/** Where pictures of pages with a map may come from. */
export function tileOrigins({ mapTiles }: Pick<HttpOptions, 'mapTiles'>): readonly string[] {
  return mapTiles ? [new URL(mapTiles.url).origin] : [];
}

/**
 * Positions on the map: Mercator's projection, as tile servers have it, in steps of 1/25 degree of longitude from the upper left corner
 * (bin/generate/world-map.js).
 */
const STEPS = 25;
/** Steps from one edge of the world to the other. */
export const WORLD = 360 * STEPS;
/** The map is a square that ends here. */
const MAX_MAP_LATITUDE = 85.0511;

interface Point {
  readonly x: number;
  readonly y: number;
}

export function pointAt(latitude: number, longitude: number): Point {
  const bounded = Math.max(-MAX_MAP_LATITUDE, Math.min(MAX_MAP_LATITUDE, latitude));
  const north = (180 / Math.PI) * Math.log(Math.tan(Math.PI / 4 + (bounded * Math.PI) / 360));
  return { x: (longitude + 180) * STEPS, y: (180 - north) * STEPS };
}

/** Without the empty ends of the earth, which Mercator's map makes large. */
export const WHOLE: GeoBox = { west: -180, south: -58, east: 180, north: 78 };

/** A part of the map: its upper left corner, and how wide and high it is. */
export interface View extends Point {
  readonly width: number;
  readonly height: number;
}

/** The part of the map that shows the box. A box across 180° continues beyond the right edge. */
export function viewOf({ west, south, east, north }: GeoBox): View {
  const [upperLeft, lowerRight] = [pointAt(north, west), pointAt(south, east + (west > east ? 360 : 0))];
  const width = Math.max(lowerRight.x - upperLeft.x, 0.001);
  const height = Math.max(lowerRight.y - upperLeft.y, 0.001);
  return { ...upperLeft, width, height };
}

/** Deeper than this, most servers have none. */
const MAX_ZOOM = 19;
/** Tiles beside each other: pictures of 256 pixels, enlarged a little in a wide window. */
const ACROSS = 6;

/** The tiles that a view shows, of the zoom that fits: Mercator's map in squares, numbered from the upper left corner, as OpenStreetMap does. */
function tilesOf(template: string, view: View) {
  const zoom = Math.min(MAX_ZOOM, Math.max(0, Math.floor(Math.log2((WORLD * ACROSS) / view.width))));
  const count = 2 ** zoom;
  const size = WORLD / count;
  // The window may be higher or wider than the box of the address.
  const extent = Math.max(view.width, view.height);
  const [middleX, middleY] = [view.x + view.width / 2, view.y + view.height / 2];
  const range = (middle: number) => {
    const [first, last] = [Math.floor((middle - extent / 2) / size), Math.floor((middle + extent / 2) / size)];
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  };
  const rows = range(middleY).filter((row) => row >= 0 && row < count);
  return rows.flatMap((row) =>
    range(middleX).map((column) => ({
      url: template
        .replaceAll('{z}', String(zoom))
        .replaceAll('{x}', String(((column % count) + count) % count))
        .replaceAll('{y}', String(row)),
      ...{ x: column * size, y: row * size, size },
    })),
  );
}
