import type { Caller } from '../../core/access/caller.js';
import { createImport, type ImportCreation } from '../../core/imports/create.js';
import { finalizeImport } from '../../core/imports/finalize.js';
import { type InlineFile, receiveInline } from '../../core/imports/register/inline.js';
import { recordRefusals } from '../../core/imports/register/refusals.js';
import type { RegistrationResult } from '../../core/imports/register/register.js';
import type { Ports } from '../../core/ports.js';
import { DomainError, type ItemError } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { messageForPeople } from '../form.js';
import type { FormFields } from '../form-fields.js';
import { reasonOf } from './import-state.js';

export interface PlainImport {
  /** Null when nothing was imported. */
  readonly importId: Id | null;
  /** The error message for the person; null when there is none. */
  readonly trouble: string | null;
}

/** An import of the files in a form, opened and finalized in one request. Errors: those of the use cases that do not depend on the files. */
export async function receivePlainForm(
  ports: Ports,
  caller: Caller,
  form: Pick<FormFields, 'files'>,
  creation: ImportCreation,
): Promise<PlainImport> {
  const first = await form.files?.next();
  if (form.files === null || first === undefined || first.done) {
    return { importId: null, trouble: 'Select some photos first.' };
  }
  const names: string[] = [];
  const files = recordNames(first.value, form.files, names);
  const begun = await createImport(ports, caller, creation);
  const importId = begun.import.id;
  const end = (action: 'commit' | 'discard') =>
    finalizeImport(ports, caller, importId, { action, missingUploads: 'fail' });
  try {
    const results = await receiveInline(ports, caller, importId, { inputs: null, files, announcedBytes: null }).then(
      (answer) => answer.results,
      (error: unknown) => resultsOfNone(error, names.length),
    );
    const refused = results.filter(isRefused);
    const refusals = refused.map(({ index, error }) => ({ filename: names[index] ?? '', sizeBytes: null, error }));
    await recordRefusals(ports, caller, importId, refusals);
    await end('commit');
    return { importId, trouble: problemOf(ports, results, names) };
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'service_unavailable') throw error;
    await end('discard');
    return { importId: null, trouble: messageForPeople(error) };
  }
}

async function* recordNames(
  first: InlineFile,
  rest: AsyncIterable<InlineFile>,
  names: string[],
): AsyncGenerator<InlineFile> {
  names.push(first.filename);
  yield first;
  for await (const file of rest) {
    names.push(file.filename);
    yield file;
  }
}

function problemOf({ limits }: Ports, results: readonly RegistrationResult[], names: readonly string[]): string | null {
  const problems = results.flatMap(({ index, error }) => (error ? `${names[index]}: ${reasonOf(error, limits)}` : []));
  return problems.length === 0 ? null : problems.join(' ');
}

type Refused = RegistrationResult & { readonly error: ItemError };

export function isRefused(result: RegistrationResult): result is Refused {
  return result.outcome === 'rejected' && result.error !== null;
}

/**
 * For a registration in which every file was refused: for people, who continue with others, that is not an error. Every other error is
 * rethrown.
 */
export function resultsOfNone(error: unknown, count: number): readonly RegistrationResult[] {
  if (!(error instanceof DomainError)) throw error;
  if (error.code === 'no_photos_accepted') return error.details?.['results'] as readonly RegistrationResult[];
  if (error.code !== 'quota_exceeded') throw error;
  const reason: ItemError = { code: 'quota_exceeded', message: error.message };
  return Array.from({ length: count }, (_, index) => ({ index, outcome: 'rejected', photo: null, error: reason }));
}
