import type { DomainError, ErrorCode, FieldError } from '../../core/shared/errors.js';

/** Messages for people if core's message is for developers and uses the names of the API. Every other message is for both. */
const words: Partial<Record<ErrorCode, string>> = {
  not_found: 'This page does not exist, or you do not have access to it.',
  tag_name_taken: 'A tag with this name already exists (case is ignored). Use that tag, or merge the two.',
  import_not_open: 'This import has ended in the meantime.',
  import_photo_final: 'This file of the import has been completed in the meantime.',
  uploads_incomplete: 'Some of its files are missing.',
  no_photos_accepted: 'None of the files was accepted.',
  invalid_cursor: 'This part of the list is out of date. Start again from the first page.',
  precondition_failed: 'This was changed in the meantime. Reload the page.',
  idempotency_in_progress: 'The same request is already being processed. Reload the page.',
};

/** For a limit, by its name. */
const limitWords: Readonly<Record<string, (limit: unknown) => string>> = {
  openImports: (limit) => `At most ${limit} imports can be open at once. Finish or discard one first.`,
  importMaxPhotos: (limit) => `An import has at most ${limit} photos. Finish it and start another.`,
};

/** For a field, by its name and error code. */
const fieldWords: Readonly<Record<string, string>> = {
  'takenAtLocal required': 'Enter the date and time, too.',
  'shiftTakenAt.seconds out_of_range': 'Enter by how much to shift it; the result must be in the years 1 to 9999.',
  'removePhotoIds conflict': 'A photo cannot gain and lose a tag at the same time.',
  'focus.x out_of_range': 'Enter numbers from 0 to 100.',
  'focus.y out_of_range': 'Enter numbers from 0 to 100.',
  'file required': 'Select some photos first.',
  'expiresAt out_of_range': 'This date is in the past. Choose a later one.',
};

/** How a sentence that begins with the name of a field refers to it if there is no label beside it. */
const fieldNames: Readonly<Record<string, string>> = {
  name: 'The name',
  tagNames: 'The name of a tag',
  color: 'The colour',
  description: 'The description',
  takenAtLocal: 'The date and time',
  timeZone: 'The time zone',
};

/** The message of an error for a person, in a sentence or two. */
export function messageForPeople({ code, message, details }: DomainError): string {
  const errors = fieldErrorsForPeople({ details });
  const [error] = errors;
  if (error !== undefined) return errors.length === 1 ? startingWithName(error) : message;
  const ofLimit = code === 'limit_reached' ? limitWords[String(details?.['name'])] : undefined;
  return ofLimit?.(details?.['limit']) ?? words[code] ?? message;
}

/** The errors of fields. A message may begin with the name of its field, which the form replaces with its label. */
export function fieldErrorsForPeople({ details }: Pick<DomainError, 'details'>): readonly FieldError[] {
  const errors = (details?.['errors'] ?? []) as readonly FieldError[];
  return errors.map((error) => ({ ...error, message: fieldWords[`${error.field} ${error.code}`] ?? error.message }));
}

function startingWithName({ field, message }: FieldError): string {
  const name = fieldNames[field.replace(/\[.*/, '')];
  return name !== undefined && message.startsWith(`${field} `) ? name + message.slice(field.length) : message;
}
