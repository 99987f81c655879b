import type { PageContext } from '../page-context.js';

/** How large photos are in the grid: the height of a row in rem and, on a phone, how many photos are in one. The style has the same numbers. */
export const tileSizes = {
  small: { label: 'Small', row: 8, columns: 5 },
  medium: { label: 'Medium', row: 12, columns: 3 },
  large: { label: 'Large', row: 18, columns: 2 },
} as const;
export type TileSize = keyof typeof tileSizes;

declare module 'express-session' {
  interface SessionData {
    /** As the person chose it last. */
    tileSize?: TileSize | undefined;
  }
}

/**
 * The attribute `sizes` of a photo in the grid. On a phone photos are cropped to squares, so the shorter side decides. Elsewhere rows grow until
 * they fill the width, seldom by more than a quarter: a picture may be stretched by as much, as the next larger one has three times its bytes.
 */
export function tileWidths(
  size: TileSize,
  { width, height }: { readonly width: number; readonly height: number },
): string {
  const ratio = width / height;
  const { row, columns } = tileSizes[size];
  const onPhone = Math.ceil((100 / columns) * Math.max(1, ratio));
  return `(max-width: 42rem) ${onPhone}vw, ${(row * ratio).toFixed(1)}rem`;
}

/** As the address says, which is remembered; otherwise as it was chosen last. */
export function chosenTileSize(
  { request }: Pick<PageContext, 'request'>,
  query: Readonly<Record<string, unknown>>,
): TileSize {
  const text = query['size'];
  if (typeof text === 'string' && Object.hasOwn(tileSizes, text)) request.session.tileSize = text as TileSize;
  return request.session.tileSize ?? 'medium';
}
