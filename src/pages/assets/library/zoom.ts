// How a picture is enlarged and moved inside the window: numbers only.

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** 1 is the whole picture in the window. `x` and `y` move its middle away from the window's, in pixels. */
export interface Zoom {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export const whole: Zoom = { scale: 1, x: 0, y: 0 };

/** The size at which a picture is displayed whole: as large as fits, never larger than its own pixels. */
export function fittedSize(picture: Size, area: Size): Size {
  const scale = Math.min(1, area.width / picture.width, area.height / picture.height);
  return { width: picture.width * scale, height: picture.height * scale };
}

/** Up to the picture's own pixels, and at least to double size. */
export function maxScale(picture: Size, fitted: Size): number {
  return Math.max(2, picture.width / fitted.width);
}

/**
 * Enlarges around a point, which stays where it is.
 * @param point From the middle of the window.
 */
export function zoomAt(
  zoom: Zoom,
  factor: number,
  point: { readonly x: number; readonly y: number },
  most: number,
): Zoom {
  const scale = Math.min(most, Math.max(1, zoom.scale * factor));
  const change = scale / zoom.scale;
  return { scale, x: point.x - (point.x - zoom.x) * change, y: point.y - (point.y - zoom.y) * change };
}

/** Keeps the window covered: a picture that is wider moves as far as its edge, any other stays in the middle. */
export function bounded({ scale, x, y }: Zoom, fitted: Size, area: Size): Zoom {
  const within = (value: number, length: number, space: number) => {
    const most = Math.max(0, (length * scale - space) / 2);
    return Math.min(most, Math.max(-most, value));
  };
  return { scale, x: within(x, fitted.width, area.width), y: within(y, fitted.height, area.height) };
}
