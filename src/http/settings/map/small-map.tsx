import type { ComponentChildren } from 'preact';
import type { GeoPoint } from '../../../core/media/picture-metadata.js';
import { boxText } from '../library-query/box.js';
import { pointAt, type View, viewOf, WHOLE, WORLD } from './projection.js';
import { Pin, WorldShapes } from './world.js';

/** Steps of the map from edge to edge: about as much as a country. */
const [WIDE, HIGH] = [360, 180];
/** Its width in pixels, about (map.css). */
const PIXELS = 352;
/** Degrees to each side, on the page of the map. */
const AROUND = 0.25;

type Position = Pick<GeoPoint, 'latitude' | 'longitude'>;

/** Where a photo was taken; leads to the map there. The place is written beside it. */
export function SmallMap({ position }: { position: Position }) {
  return (
    <a class="map small-map" href={mapPathAround(position)}>
      <Drawing position={position} view={viewAround(position)} label={null} />
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
  return (
    <svg viewBox={`${x} ${y} ${width} ${height}`} role="img" aria-label={label ?? ''} aria-hidden={label === null}>
      <WorldShapes />
      {children}
      {/* Without a position it waits for one. */}
      <Pin point={position && pointAt(position.latitude, position.longitude)} scale={width / PIXELS} />
    </svg>
  );
}

/** As wide as a country, with the position in its middle; the whole world without one. */
export function viewAround(position: Position | null): View {
  if (position === null) return viewOf(WHOLE);
  const { x, y } = pointAt(position.latitude, position.longitude);
  return { x: x - WIDE / 2, y: Math.min(Math.max(0, y - HIGH / 2), WORLD - HIGH), width: WIDE, height: HIGH };
}

/** The page of the map, there. */
export function mapPathAround({ latitude, longitude }: Position): string {
  const wrapped = (degrees: number) => ((((degrees + 180) % 360) + 360) % 360) - 180;
  const [south, north] = [Math.max(-85, latitude - AROUND), Math.min(85, latitude + AROUND)];
  return `/settings/map?box=${boxText([wrapped(longitude - AROUND), south, wrapped(longitude + AROUND), north])}`;
}
