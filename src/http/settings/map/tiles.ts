import { type View, WORLD } from './projection.js';

/** A picture of a part of the map, in its steps. */
export interface Tile {
  readonly url: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** Deeper than this, most servers have none. */
const MAX_ZOOM = 19;
/** Tiles beside each other: pictures of 256 pixels, enlarged a little in a wide window. */
const ACROSS = 6;

/** The tiles that a view shows, of the zoom that fits: Mercator's map in squares, numbered from the upper left corner, as OpenStreetMap does. */
export function tilesOf(template: string, view: View): readonly Tile[] {
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
      url: addressOf(template, zoom, ((column % count) + count) % count, row),
      ...{ x: column * size, y: row * size, size },
    })),
  );
}

function addressOf(template: string, zoom: number, column: number, row: number): string {
  return template.replaceAll('{z}', String(zoom)).replaceAll('{x}', String(column)).replaceAll('{y}', String(row));
}
