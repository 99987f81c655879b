// How large photos are in the grid, changed without leaving the page.

/** @param resized Called when the grid has another size. */
export function offerTileSizes(links: HTMLElement, grid: HTMLElement, resized: () => void): void {
  links.addEventListener('click', (event) => {
    const link = (event.target as Element).closest('a');
    const size = link?.dataset.size;
    if (link === null || size === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    grid.dataset.size = size;
    for (const each of links.querySelectorAll('a')) {
      if (each === link) each.setAttribute('aria-current', 'true');
      else each.removeAttribute('aria-current');
    }
    for (const image of grid.querySelectorAll('img')) image.sizes = `${displayedWidth(image)}px`;
    resized();
    // Remembered, for the next page. Should that fail, this page has the size nevertheless.
    fetch(link.href, { method: 'HEAD' }).catch(() => undefined);
  });
}

/** Rows grow until they fill the width, and may stretch their pictures by as much (tile-size.ts). The squares of a phone do not grow. */
const STRETCH = matchMedia('(max-width: 42rem)').matches ? 1 : 1.25;

/** Of the whole picture: in a square tile, sides of a wide photo are cut off. */
function displayedWidth(image: HTMLImageElement): number {
  const { clientWidth, clientHeight } = image.closest('li') ?? image;
  return Math.ceil(Math.max(clientWidth, (clientHeight * image.width) / image.height) / STRETCH);
}
