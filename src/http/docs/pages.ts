import { errorCodes } from '../../core/shared/errors.js';
import { guidePage, guidesPage, readerPage } from './docs-page.js';
import { openApiFile, type PublicFile, pageFile } from './documents.js';
import { guideNames, isGuide } from './guides.js';
import { operationsOf } from './operations.js';

/** Every page under /docs, by what follows that. */
export const pagePaths: readonly string[] = [
  '',
  'guides',
  ...guideNames.map((name) => `guides/${name}`),
  'errors',
  ...errorCodes.map((code) => `errors/${code}`),
];

/** A page by its path; null when there is none. It is made when somebody asks for it. */
export async function docsPage(path: string): Promise<PublicFile | null> {
  const [section = '', name] = path.split('/');
  if (section === 'errors') return errorsPageAt(name);
  if (section === '') return pageFile('reader', readerPage);
  if (name === undefined) return pageFile('guides', guidesPage);
  return isGuide(name) ? pageFile(`guide ${name}`, () => guidePage(name)) : null;
}

/** What they show is read from the document of the API, which is loaded with the first of them. */
async function errorsPageAt(code: string | undefined): Promise<PublicFile | null> {
  const { errorPage, errorsPage, isErrorCode } = await import('./error-pages.js');
  if (code === undefined) return pageFile('errors', errorsPage);
  if (!isErrorCode(code)) return null;
  const { bytes } = await openApiFile();
  return pageFile(`error ${code}`, () => errorPage(code, operationsOf(JSON.parse(bytes.toString()))));
}
