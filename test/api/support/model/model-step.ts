import fc from 'fast-check';
import type { Answer } from '../http-client.js';
import type { LibraryModel } from './library-model.js';
import type { ModelClient } from './model-client.js';

export const NO_ID = 999_999;

/** One thing that a client does, and what it comes to in the model. `act` expects what it is answered. */
export type Act<Values> = (model: LibraryModel, client: ModelClient, values: Values) => Promise<void>;

export class Step implements fc.AsyncCommand<LibraryModel, ModelClient> {
  constructor(
    private readonly said: string,
    private readonly act: (model: LibraryModel, client: ModelClient) => Promise<void>,
  ) {}

  check = () => true;

  async run(model: LibraryModel, client: ModelClient): Promise<void> {
    client.app.clock.pass(1000);
    await this.act(model, client);
  }

  toString = () => this.said;
}

export type Arbitraries<Values> = { [Name in keyof Values]: fc.Arbitrary<Values[Name]> };

export function step<Values>(name: string, values: Arbitraries<Values>, act: Act<Values>): fc.Arbitrary<Step> {
  return fc
    .record<Values>(values)
    .map((each) => new Step(`${name} ${JSON.stringify(each)}`, (model, client) => act(model, client, each as Values)));
}

/** Which one of a list, by `pick`: lists are only known while a program runs. */
export const nth = fc.nat(11);

export function pick<T>(all: readonly T[], at: number): T | undefined {
  return all[at % Math.max(1, all.length)];
}

/** Of three times, twice one that is there, and once one that was ever there. */
function pickId(there: ReadonlyMap<number, unknown>, ever: readonly number[], at: number): number {
  return pick(at % 3 === 0 ? ever : [...there.keys()], at) ?? NO_ID;
}

export const pickTag = ({ tags, tagIds }: LibraryModel, at: number) => pickId(tags, tagIds, at);

export const pickPhoto = ({ photos, photoIds }: LibraryModel, at: number) => pickId(photos, photoIds, at);

/** The tags of a request: none where there never was one. */
export function pickTags(model: LibraryModel, some: readonly number[]): number[] {
  return [...new Set(some.map((at) => pickTag(model, at)))].filter((id) => id !== NO_ID);
}

export function pickPhotos(model: LibraryModel, some: readonly number[]): number[] {
  return [...new Set(some.map((at) => pickPhoto(model, at)))];
}

/** The status, and of an error its code. */
export function code({ status, text }: Answer): number | string {
  return status < 400 ? status : `${status} ${JSON.parse(text).error.code}`;
}
