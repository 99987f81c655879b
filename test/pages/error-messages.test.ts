import { createImport } from '../../src/core/imports/create.js';
import { finalizeImport } from '../../src/core/imports/finalize.js';
import { registerPhotos } from '../../src/core/imports/register/register.js';
import { editPhoto } from '../../src/core/photos/edit-photo.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { createTag } from '../../src/core/tags/create-tags.js';
import { editTag } from '../../src/core/tags/edit-tag.js';
import { fieldErrorsForPeople, messageForPeople } from '../../src/pages/form.js';
import { Account, picture, type World, world } from '../support/core-world.js';

let ports: World;
let acme: Account;

beforeEach(async () => {
  ports = world();
  acme = await Account.open(ports);
});

/** Names of fields, methods and parameters of the API, as no person would write them. */
const OF_THE_API =
  /[a-z][A-Z]|\b(PATCH|POST|PUT|GET|DELETE|If-Match|Idempotency-Key)\b|\bdetails\.|[{}"]|[Ff]inalize|[Rr]egister/;

async function thrownBy(work: () => Promise<unknown>): Promise<DomainError> {
  const error = await work().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof DomainError) return error;
  throw new Error(`nothing was refused, but ${error}`);
}

const cases: Readonly<Record<string, () => Promise<unknown>>> = {
  'a name that is taken': async () => {
    await createTag(ports, acme.caller, { name: 'Sea' });
    await createTag(ports, acme.caller, { name: 'sea' });
  },
  'a tag that is renamed to another': async () => {
    await createTag(ports, acme.caller, { name: 'Sea' });
    const { tag } = await createTag(ports, acme.caller, { name: 'Ocean' });
    await editTag(ports, acme.caller, tag.id, { name: 'Sea' });
  },
  'a tag that is merged into itself': async () => {
    const { id } = await acme.tag('Sea');
    await editTag(ports, acme.caller, id, { mergeTagIds: [id] });
  },
  'a photo that gets a tag and loses it': async () => {
    const { id } = await acme.tag('Sea');
    await editTag(ports, acme.caller, id, { addPhotoIds: [1], removePhotoIds: [1] });
  },
  'a blank name': () => createTag(ports, acme.caller, { name: ' ' }),
  'too many open imports': async () => {
    const few = { ...ports, limits: { ...ports.limits, openImports: 1 } };
    for (const clientRef of ['a', 'b']) await createImport(few, acme.caller, { clientRef });
  },
  'too many photos': async () => {
    const few = { ...ports, limits: { ...ports.limits, importMaxPhotos: 0 } };
    const { id } = await acme.start();
    await registerPhotos(few, acme.caller, id, [{ filename: 'a.jpg', sizeBytes: 1 }]);
  },
  'none of the files': async () => {
    const { id } = await acme.start();
    await acme.register(id, { filename: 'a.jpg', sizeBytes: 0 });
  },
  'files that have not arrived': async () => {
    const { id } = await acme.start();
    await acme.register(id, { filename: 'a.jpg', sizeBytes: 1 });
    await finalizeImport(ports, acme.caller, id, { action: 'commit', missingUploads: 'reject' });
  },
  'an import that has ended': async () => {
    const { id } = await acme.start();
    await acme.finalize(id);
    await acme.register(id, { filename: 'a.jpg', sizeBytes: 1 });
  },
  'a zone without a time': async () => {
    const photo = await acme.addPhoto(picture('no time'));
    await editPhoto(ports, acme.caller, photo.id, { takenAtLocal: null });
    await editPhoto(ports, acme.caller, photo.id, { timeZone: 'Europe/Paris' });
  },
};

test.each(Object.keys(cases))('people are told of %s in their own words', async (name) => {
  const error = await thrownBy(() => cases[name]?.() ?? Promise.resolve());
  expect(messageForPeople(error)).not.toMatch(OF_THE_API);
  for (const { field, message } of fieldErrorsForPeople(error)) {
    // In a form its label takes the place of the name.
    expect(message.replace(`${field} `, '')).not.toMatch(OF_THE_API);
  }
});
