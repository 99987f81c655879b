import type { DomainError, ErrorCode, FieldError } from '../../core/shared/errors.js';

/** What people are told where core speaks to those who write programs, in the names of the API. Every other message is for both. */
const words: Partial<Record<ErrorCode, string>> = {
  not_found: 'This page does not exist, or is not yours to see.',
  tag_name_taken:
    'A tag has this name already; upper and lower case make no difference. Use that tag, or merge the two.',
  import_not_open: 'This import has ended meanwhile.',
  import_photo_final: 'This file of the import has come to its end meanwhile.',
  uploads_incomplete: 'Not all of its files have arrived.',
  no_photos_accepted: 'None of the files was taken.',
  invalid_cursor: 'This part of the list is out of date. Begin again with its first page.',
  precondition_failed: 'This was changed meanwhile. Load the page again.',
  idempotency_in_progress: 'The same is being done already. Load the page again.',
};

/** And of a limit, by its name. */
const limitWords: Readonly<Record<string, (limit: unknown) => string>> = {
  openImports: (limit) => `At most ${limit} imports can be open at once. Finish or discard one first.`,
  importMaxPhotos: (limit) => `An import has at most ${limit} photos. Finish it and start another.`,
};

/** And of a field, by its name and what is wrong with it. */
const fieldWords: Readonly<Record<string, string>> = {
  'takenAtLocal required': 'Give the date and time, too.',
  'removePhotoIds conflict': 'A photo cannot get a tag and lose it at once.',
  'file required': 'Choose some photos first.',
};

/** What a sentence that begins with the name of a field calls it where no label stands beside. */
const fieldNames: Readonly<Record<string, string>> = {
  name: 'The name',
  tagNames: 'The name of a tag',
  color: 'The colour',
  description: 'The description',
  takenAtLocal: 'The date and time',
  timeZone: 'The time zone',
};

/** What a person is told of an error, in a sentence or two. */
export function messageForPeople({ code, message, details }: DomainError): string {
  const errors = fieldErrorsForPeople({ details });
  const [error] = errors;
  if (error !== undefined) return errors.length === 1 ? startingWithName(error) : message;
  const ofLimit = code === 'limit_reached' ? limitWords[String(details?.['name'])] : undefined;
  return ofLimit?.(details?.['limit']) ?? words[code] ?? message;
}

/** The errors of fields. A message may begin with the name of its field, in whose place the form puts its label. */
export function fieldErrorsForPeople({ details }: Pick<DomainError, 'details'>): readonly FieldError[] {
  const errors = (details?.['errors'] ?? []) as readonly FieldError[];
  return errors.map((error) => ({ ...error, message: fieldWords[`${error.field} ${error.code}`] ?? error.message }));
}

function startingWithName({ field, message }: FieldError): string {
  const name = fieldNames[field.replace(/\[.*/, '')];
  return name !== undefined && message.startsWith(`${field} `) ? name + message.slice(field.length) : message;
}
