/** Of every page about webhooks. */
export const AREA = { section: 'webhooks', styles: ['areas.css'], scripts: ['webhooks.js'] } as const;
/** Of a page with a log that moves by itself. */
export const LIVE = { ...AREA, scripts: ['live.js'] } as const;
/** Of a page that shows a secret. */
export const ONCE = { ...AREA, scripts: ['copy.js', 'no-resend.js'] } as const;
