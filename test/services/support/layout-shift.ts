import type { Page } from 'playwright-core';

/** From its next address on, a page adds up by how much its contents move (Layout Instability, W3C). */
export async function recordShift(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const win = window as unknown as { shift: number };
    win.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) win.shift += (entry as unknown as { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
}
