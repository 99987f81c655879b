import { readFileSync } from 'node:fs';
import { changedBy } from '../../src/core/photos/edit-photo.js';
import { picture, postFiles } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

/** Every field that a client can set, alone and after every other one: none of them may change another, unless that is declared. */

type Values = Readonly<Record<string, unknown>>;

let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  app = await startApp();
  actor = await app.customer();
});
afterAll(() => app.close());

const document = JSON.parse(readFileSync('openapi.json', 'utf8'));
const propertiesOf = (model: string): Readonly<Record<string, Values>> => document.components.schemas[model].properties;

/** Two values of each field, both as a client sends them and as they are returned; the second only where it differs. */
const samples: Readonly<Record<string, readonly (readonly [sent: unknown, shown?: unknown])[]>> = {
  filename: [['a.jpg'], ['b.jpg']],
  title: [['One'], ['Two']],
  description: [['First'], ['Second\nline']],
  takenAt: [
    ['2024-05-01T10:00:00+02:00', '2024-05-01T08:00:00.000Z'],
    ['2025-05-01T10:00:00Z', '2025-05-01T10:00:00.000Z'],
  ],
  takenAtLocal: [['2023-01-01T12:00:00'], ['2022-01-01T12:00:00.500']],
  timeZone: [['Europe/Paris'], ['+05:30']],
  location: [
    [{ latitude: 48.85837, longitude: 2.294481, altitude: null }],
    [{ latitude: -33.856784, longitude: 151.215297, altitude: 4 }],
  ],
  rating: [[3], [5]],
  favorite: [[true], [false]],
  creator: [['Ada'], ['Éva; Ада']],
  copyright: [['© Ada'], ['© Éva']],
  externalId: [['a-1'], ['b-2']],
  metadata: [[{ a: '1' }], [{ a: '2' }]],
  rotation: [[90], [180]],
  focus: [[{ x: 0.25, y: 0.5 }], [{ x: 1, y: 0 }]],
  sha256: [['a'.repeat(64)], ['b'.repeat(64)]],
  sizeBytes: [[1000], [2000]],
};

/** What differs between two states of a resource, apart from what says that it was changed. */
function differences(before: Values, after: Values): string[] {
  const told = ['updatedAt', 'version'];
  return Object.keys({ ...before, ...after }).filter(
    (name) => !told.includes(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}

interface Resource {
  readonly path: string;
  readonly fields: readonly string[];
  readonly coupled: (name: string) => readonly string[];
  read(): Promise<Values>;
}

/** Sets each field after each other one, and compares. @returns What changed without being declared, or did not take its value. */
async function faultsOf({ path, fields, coupled, read }: Resource): Promise<string[]> {
  const faults: string[] = [];
  const turns = new Map<string, number>();
  let before = await read();
  const set = async (name: string) => {
    const turn = (turns.get(name) ?? 0) + 1;
    turns.set(name, turn);
    const [sent, shown = sent] = samples[name]?.[turn % 2] ?? [];
    const answer = await actor.patch(path, { [name]: sent });
    const after = await read();
    const others = differences(before, after).filter((each) => !coupled(name).includes(each));
    if (answer.status !== 200) faults.push(`${name}: ${answer.text}`);
    if (others.length > 0) faults.push(`${name} changes ${others}`);
    if (JSON.stringify(after[name]) !== JSON.stringify(shown)) faults.push(`${name} is ${JSON.stringify(after[name])}`);
    before = after;
  };
  // Each field follows itself, and each pair is there in both orders.
  for (const [at, first] of fields.entries()) {
    await set(first);
    await set(first);
    for (const second of fields.slice(at + 1)) {
      await set(second);
      await set(first);
    }
  }
  return faults;
}

/** Clears each field that may be null while all others have a value. */
async function clearingFaultsOf({ path, fields, coupled, read }: Resource, model: string): Promise<string[]> {
  const faults: string[] = [];
  const clearable = fields.filter((name) => JSON.stringify(propertiesOf(model)[name]).includes('"null"'));
  expect(clearable.length).toBeGreaterThan(5);
  for (const name of clearable.filter((each) => each !== 'metadata')) {
    // Time fields exclude each other, and come in this order.
    for (const each of fields) await actor.patch(path, { [each]: samples[each]?.[0]?.[0] });
    const before = await read();
    const answer = await actor.patch(path, { [name]: null });
    const after = await read();
    if (answer.status !== 200) faults.push(`${name}: ${answer.text}`);
    const others = differences(before, after).filter((each) => !coupled(name).includes(each));
    if (others.length > 0) faults.push(`null for ${name} changes ${others}`);
  }
  return faults;
}

const isSampled = (name: string) => Object.hasOwn(samples, name);

describe('a photo', () => {
  let photo: Resource;
  beforeAll(async () => {
    const { id: importId } = (await actor.post('/imports', {})).body;
    const [{ photo: item }] = (await postFiles(actor, importId, [{ filename: 'a.jpg', content: picture('fields') }]))
      .body.data;
    await actor.post(`/imports/${importId}/finalize`);
    await app.work();
    const path = `/photos/${item.id}`;
    photo = {
      path,
      fields: Object.keys(propertiesOf('PhotoPatch')).filter(isSampled),
      coupled: (name) => (changedBy as Readonly<Record<string, readonly string[]>>)[name] ?? [],
      read: async () => (await actor.get(path)).body,
    };
  });

  test('has a sample of each field that can be patched', () => {
    // These move or restore a photo, and are tested with their rules.
    const others = ['shiftTakenAt', 'trashed'];
    expect(Object.keys(propertiesOf('PhotoPatch')).filter((name) => !isSampled(name))).toEqual(others);
    expect(Object.keys(changedBy).sort()).toEqual(Object.keys(propertiesOf('PhotoPatch')).sort());
  });

  test('keeps all other fields when one is set, after any other one', async () => {
    expect(await faultsOf(photo)).toEqual([]);
  });

  test('keeps all other fields when one is cleared', async () => {
    expect(await clearingFaultsOf(photo, 'PhotoPatch')).toEqual([]);
  });
});

describe('an item of an import', () => {
  let item: Resource;
  const times = ['takenAt', 'takenAtLocal', 'timeZone'];
  // Other bytes are sent elsewhere.
  const coupled = (name: string) => {
    if (times.includes(name)) return times;
    return name === 'sha256' || name === 'sizeBytes' ? [name, 'upload'] : [name];
  };
  beforeAll(async () => {
    const { id: importId } = (await actor.post('/imports', {})).body;
    const photos = [{ filename: 'a.jpg', sizeBytes: 1000, sha256: 'c'.repeat(64) }];
    const [{ photo: registered }] = (await actor.post(`/imports/${importId}/photos`, { photos })).body.data;
    item = {
      path: `/imports/${importId}/photos/${registered.id}`,
      fields: Object.keys(propertiesOf('ImportPhotoPatch')).filter(isSampled),
      coupled,
      read: async () => {
        const { data } = (await actor.get(`/imports/${importId}?include=photos`)).body.photos;
        // Its URL is signed anew each time.
        return { ...data[0], upload: null };
      },
    };
  });

  test('has a sample of each field that can be patched', () => {
    const others = ['tagIds', 'tagNames', 'status'];
    expect(Object.keys(propertiesOf('ImportPhotoPatch')).filter((name) => !isSampled(name))).toEqual(others);
  });

  test('keeps all other fields when one is set, after any other one', async () => {
    expect(await faultsOf(item)).toEqual([]);
  });

  test('keeps all other fields when one is cleared', async () => {
    expect(await clearingFaultsOf(item, 'ImportPhotoPatch')).toEqual([]);
  });
});
