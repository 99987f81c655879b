import { address } from '../address.js';

export const LIST = '/settings/delivery';
/** Of every page about image delivery. */
export const AREA = { section: 'delivery', styles: ['areas.css'] } as const;
/** Of a page that shows a secret. */
export const ONCE = { ...AREA, scripts: ['copy.js', 'no-resend.js'] } as const;

export function presetPath(name: string, act: 'edit' | 'delete'): string {
  return `${LIST}/presets/${encodeURIComponent(name)}/${act}`;
}

/** Where the newest photo is shown with these options. */
export function previewPath(options: string): string {
  return address(`${LIST}/preview`, { options });
}
