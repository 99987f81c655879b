import { errorCodes } from '../../core/shared/errors.js';
import type { PublicFile } from '../responses/send-public.js';
import { guidePage, guidesPage } from './docs-page.js';
import { pageFile, references } from './documents.js';
import { guideNames, isGuide } from './guides.js';
import type { Reference } from './reference/reference.js';

/** Every page under /docs, by what follows that. */
export async function pagePaths(): Promise<readonly string[]> {
  const all = await references();
  return [
    '',
    ...all
      .flatMap(({ url, resources }) => [url, ...resources.map((each) => each.url)])
      .map(pathOf)
      .filter(Boolean),
    'guides',
    ...guideNames.map((name) => `guides/${name}`),
    'errors',
    ...errorCodes.map((code) => `errors/${code}`),
  ];
}

function pathOf(url: string): string {
  return url.replace(/^\/docs\/?/, '');
}

/** A page by its path; null when there is none. It is made when somebody asks for it. */
export async function docsPage(path: string): Promise<PublicFile | null> {
  const [section = '', name] = path.split('/');
  const all = await references();
  if (section === 'errors') return errorsPageAt(name, all);
  if (section !== 'guides') return referencePageAt(path, all);
  if (name === undefined) return pageFile('guides', () => guidesPage(all));
  return isGuide(name) ? pageFile(`guide ${name}`, () => guidePage(name, all)) : null;
}

async function referencePageAt(path: string, all: readonly Reference[]): Promise<PublicFile | null> {
  const { overviewPage, resourcePage } = await import('./reference-pages.js');
  for (const reference of all) {
    if (pathOf(reference.url) === path) return pageFile(`reference ${path}`, () => overviewPage(reference, all));
    const resource = reference.resources.find(({ url }) => pathOf(url) === path);
    if (resource) return pageFile(`reference ${path}`, () => resourcePage(resource, reference, all));
  }
  return null;
}

async function errorsPageAt(code: string | undefined, all: readonly Reference[]): Promise<PublicFile | null> {
  const { errorPage, errorsPage, isErrorCode } = await import('./error-pages.js');
  if (code === undefined) return pageFile('errors', () => errorsPage(all));
  return isErrorCode(code) ? pageFile(`error ${code}`, () => errorPage(code, all)) : null;
}
