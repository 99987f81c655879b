import { SetMetadata } from '@nestjs/common';
import type { ErrorCode } from '../../core/shared/errors.js';
import type { Model, Schema } from '../../http/fields/declared.js';
import type { HeaderName } from './headers.js';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
  /** Lists stand in one value, with commas between. */
  readonly style?: 'form';
  readonly explode?: false;
}

export interface Content {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>;
}

/**
 * The words of a controller about a route in the document. Path, method, scope, query parameters, the fields of the body and its media types,
 * ETags and their conditions, and the errors of these follow from the decorators by which the route works.
 */
export interface RouteDocument {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Where they are not the `PathParameters` of the controller. */
  readonly path?: readonly Parameter[];
  /** Headers of the request, beside those that follow. */
  readonly headers?: readonly Parameter[];
  readonly body?: string;
  /** The contents of bodies that are not JSON. */
  readonly streamed?: Readonly<Record<string, Content>>;
  readonly answers: Readonly<Record<number, SuccessDocument>>;
  /** Beside those that follow. */
  readonly errors?: readonly ErrorCode[];
}

export interface SuccessDocument {
  readonly description: string;
  /** The class of the JSON body, or a schema; several are alternatives. */
  readonly body?: Model | Schema | readonly Model[];
  /** By media type, beside JSON. */
  readonly content?: Readonly<Record<string, Content>>;
  /** Beside those that every answer has. */
  readonly headers?: readonly HeaderName[];
}

export const ROUTE_DOCUMENT = Symbol('RouteDocument');

export const DOCUMENT_TAG = Symbol('DocumentTag');

export interface DocumentTagOptions {
  readonly name: string;
  readonly description: string | undefined;
}

/** Groups the routes of a controller in the document. One controller of each group describes it. */
export const DocumentTag = (name: string, description?: string) =>
  SetMetadata<symbol, DocumentTagOptions>(DOCUMENT_TAG, { name, description });

export const PATH_PARAMETERS = Symbol('PathParameters');

/** The parameters in the paths of a controller: each route has those that its path names. */
export const PathParameters = (...parameters: readonly Parameter[]) => SetMetadata(PATH_PARAMETERS, parameters);

export const Documented = (document: RouteDocument) => SetMetadata(ROUTE_DOCUMENT, document);

const picture = { 'image/*': { schema: { type: 'string', format: 'binary' } } };

/** The answers of a route that sends a picture, or a range of its bytes. `file` is what it is called. */
export function pictureAnswers(all: string, file: string, headers: readonly HeaderName[]): RouteDocument['answers'] {
  return {
    200: { description: all, content: picture, headers },
    206: { description: 'The requested range.', content: picture, headers: [...headers, 'Content-Range'] },
    304: { description: `The ${file} has not changed.`, headers },
  };
}
