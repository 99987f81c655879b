import { ApiProperty, type ApiPropertyOptions, ApiSchema, generateSchema } from '@nestjs/swagger';
import {
  type DeclaredField,
  declaredFields,
  declaredModel,
  type Model,
  modelNamed,
  orNull,
  type Schema,
} from '../../../src/http/fields/declared.js';

/**
 * The schemas that a part of the document refers to, and those that they refer to in turn. A class is found by its name, and its schema is
 * what @nestjs/swagger derives from its decorators.
 * @param written Schemas that no class stands for.
 */
export function referencedSchemas(part: unknown, written: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const found: Record<string, Schema> = {};
  const open = namesIn(part);
  for (let name = open.shift(); name !== undefined; name = open.shift()) {
    if (name in found) continue;
    const model = modelNamed(name);
    const schema = written[name] ?? (model && modelSchema(model));
    if (schema === undefined) throw new Error(`the document refers to ${name}, which no class is named`);
    found[name] = schema;
    open.push(...namesIn(schema));
  }
  return found;
}

/** The names of all schemas that stand as references anywhere in it. */
function namesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => {
    if (key !== '$ref' || typeof value !== 'string') return namesIn(value);
    return value.startsWith(SCHEMAS) ? [value.slice(SCHEMAS.length)] : [];
  });
}

const SCHEMAS = '#/components/schemas/';

export function modelRef(model: Model): Schema {
  return { $ref: `${SCHEMAS}${nameOf(model)}` };
}

/** The schemas of the fields of a class, those of its parent class first. */
export function fieldSchemas(model: Model): Record<string, Schema> {
  handOver();
  const { properties = {} } = generateSchema(model).schemas[nameOf(model)] ?? {};
  const declared = fieldsOf(model);
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const { model: nested } = declared.get(name) ?? {};
      return [name, nested && declaredModel(nested)?.name === null ? modelSchema(nested) : asOpenApi31({ ...schema })];
    }),
  );
}

function modelSchema(model: Model): Schema {
  const { direction = 'response', name: _, description, ...rules } = declaredModel(model) ?? {};
  const isRequest = direction === 'request';
  const properties = fieldSchemas(model);
  const declared = fieldsOf(model);
  const required = Object.keys(properties).filter((name) => {
    const { required: mustBeSent, sometimes } = declared.get(name) ?? {};
    return isRequest ? mustBeSent : !sometimes;
  });
  return {
    type: 'object',
    description,
    properties,
    ...(required.length > 0 && { required }),
    ...rules,
    ...(isRequest && { additionalProperties: false }),
  };
}

function nameOf(model: Model): string {
  return declaredModel(model)?.name ?? model.name;
}

function fieldsOf(model: Model): Map<string, DeclaredField['schema']> {
  const own = declaredFields.filter(({ prototype }) => {
    return prototype === model.prototype || model.prototype instanceof prototype.constructor;
  });
  return new Map(own.map(({ name, schema }) => [name, schema]));
}

let handedOver = 0;

/** Gives @nestjs/swagger what was declared since the last time. */
function handOver(): void {
  for (const { prototype, name, schema } of declaredFields.slice(handedOver)) {
    const { model, isList = false, required: _, sometimes: __, $ref, ...rest } = schema;
    // It knows references as classes, or as parts of `allOf`; anything else it hands on. With a type of its own: otherwise the type that the
    // compiler emits would be taken for the class.
    const reference = $ref === undefined ? {} : { type: 'object', allOf: [{ $ref }] };
    const type = model && { type: () => model, isArray: isList };
    ApiProperty({ ...rest, ...reference, ...type } as ApiPropertyOptions)(prototype, name);
    const named = model && declaredModel(model)?.name;
    if (model && named) ApiSchema({ name: named })(model);
    ApiSchema({ name: nameOf(prototype.constructor as Model) })(prototype.constructor as Model);
  }
  handedOver = declaredFields.length;
}

/** From version 3.1 on, keywords may stand beside a reference, and null is a type. */
function asOpenApi31({ allOf, nullable, ...schema }: Schema): Schema {
  const [reference] = (allOf ?? []) as readonly Schema[];
  const { type: _, description, ...beside } = schema;
  const described = description === undefined ? {} : { description };
  const plain = reference ? { ...reference, ...described, ...beside } : inOrder(schema);
  return nullable ? orNull(plain) : plain;
}

/** Puts a schema in order: what it is, what that means, an example, and its limits; a list shows its entries first. */
function inOrder({ type, enum: values, const: only, description, items, examples, ...rules }: Schema): Schema {
  const known = Object.entries(
    type === 'array' || type === 'object'
      ? { type, description, items, ...rules, examples }
      : { type, enum: values, const: only, description, examples, ...rules },
  );
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}
