import { grouped } from '../grouped.js';
import { type ExportedPhoto, ORIGINALS, thumbOf } from './export-format.js';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#222;background:#fff}
ul{list-style:none;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(12rem,1fr));gap:1rem}
img{width:100%;height:12rem;object-fit:cover;background:#ddd;border-radius:4px}p{margin:.2rem 0;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){body{color:#eee;background:#181818}a{color:#9cf}}`;

/** A month of an export: its photos, or how many they are and the first of them. */
export interface ExportedMonth {
  readonly month: string;
  readonly first: ExportedPhoto;
  readonly count: number;
}

/** Pages that show an export in a browser, without a server and without scripts: one for each month, and one that lists them. */
export function exportPages(photos: readonly ExportedPhoto[], thumbs: ReadonlySet<number>) {
  const months = [...grouped(photos, monthOf)];
  const counted = months.map(([month, those]) => ({ month, first: those[0] as ExportedPhoto, count: those.length }));
  return [indexPage(counted, thumbs), ...months.map(([month, those]) => monthPage(month, those, thumbs))];
}

function photosText(count: number): string {
  return `${count} ${count === 1 ? 'photo' : 'photos'}`;
}

/** The page that lists the months, newest first. */
export function indexPage(months: readonly ExportedMonth[], thumbs: ReadonlySet<number>) {
  const items = months
    .toSorted((a, b) => (a.month < b.month ? 1 : -1))
    .map(({ month, first, count }) => {
      return `<li><a href="${address(pageOf(month))}">${image(first, '', thumbs)}<p>${text(month)}</p></a><p>${photosText(count)}</p></li>`;
    });
  const total = months.reduce((sum, { count }) => sum + count, 0);
  return { path: 'index.html', html: page(photosText(total), `<ul>${items.join('\n')}</ul>`) };
}

export function monthPage(month: string, photos: readonly ExportedPhoto[], thumbs: ReadonlySet<number>) {
  const items = photos.map((photo) => {
    const { path, filename, title, description, takenAtLocal, rating, tags } = photo;
    const details = [
      takenAtLocal?.slice(0, 16).replace('T', ' '),
      rating === null ? null : '★'.repeat(rating),
      description,
      tags.map(({ name }) => name).join(', '),
    ].filter((each) => each);
    const lines = [title ?? filename, ...details].map((each) => `<p>${text(each as string)}</p>`).join('');
    return `<li><a href="${address(`../${ORIGINALS}/${path}`)}">${image(photo, '../', thumbs)}</a>${lines}</li>`;
  });
  const content = `<p><a href="../index.html">All months</a></p><ul>${items.join('\n')}</ul>`;
  return { path: pageOf(month), html: page(month, content) };
}

function image(photo: ExportedPhoto, up: string, thumbs: ReadonlySet<number>): string {
  const { id, filename, dominantColor } = photo;
  const style = /^#[0-9a-f]{6}$/.test(dominantColor ?? '') ? ` style="background:${dominantColor}"` : '';
  const source = thumbs.has(id) ? ` src="${up}${thumbOf(photo)}"` : '';
  return `<img${source} alt="${text(filename)}" loading="lazy"${style}>`;
}

/** `2024-12`, or `undated`. */
export function monthOf({ takenAtLocal }: Pick<ExportedPhoto, 'takenAtLocal'>): string {
  return takenAtLocal?.slice(0, 7) ?? 'undated';
}

function pageOf(month: string): string {
  return `pages/${month}.html`;
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${text(title)}</title><style>${STYLE}</style></head>
<body><h1>${text(title)}</h1>${content}</body></html>
`;
}

/** A relative address of a path, whatever characters it has. */
function address(path: string): string {
  return text(path.split('/').map(encodeURIComponent).join('/'));
}

function text(plain: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return plain.replace(/[&<>"]/g, (character) => entities[character] as string);
}
