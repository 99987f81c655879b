import type { RenditionFormat } from './media-reader.js';

/** Longest side in pixels. */
export const renditionSizes = { thumb: 320, small: 640, medium: 1280, large: 2560 } as const;
export type RenditionName = keyof typeof renditionSizes;

/** Smallest first. */
export const renditionNames = Object.keys(renditionSizes) as readonly RenditionName[];

export function isRenditionName(text: string): text is RenditionName {
  return Object.hasOwn(renditionSizes, text);
}

/** Pictures with transparency keep it unless the client requests otherwise. */
export function defaultFormat(photo: { readonly alpha: boolean }): RenditionFormat {
  return photo.alpha ? 'webp' : 'jpeg';
}
