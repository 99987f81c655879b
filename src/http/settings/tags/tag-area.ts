/** Of every page about tags. */
export const AREA = { section: 'tags', styles: ['areas.css'] } as const;
