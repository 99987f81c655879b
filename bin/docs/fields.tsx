import type { ComponentChildren } from 'preact';
import { Inline, Markdown } from './markdown.js';
import {
  type ApiDocument,
  constraints,
  type DescribedParameter,
  exampleOf,
  fieldsOf,
  type JsonSchema,
  type ReferenceOperation,
  typeName,
} from './reference.js';

type Schemas = ApiDocument['components']['schemas'];

interface FieldProps {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly schemas: Schemas;
  readonly isRequired: boolean;
  readonly description?: string;
  readonly children?: ComponentChildren;
}

/** Deeper fields are in the document, and on the page of their own resource. */
const MOST_LEVELS = 3;

export function ParameterList({
  title,
  all,
  schemas,
}: {
  title: string;
  all: readonly DescribedParameter[];
  schemas: Schemas;
}) {
  if (all.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <dl class="fields">
        {all.map(({ name, schema, required = false, description }) => (
          <Field
            key={name}
            name={name}
            schema={schema}
            schemas={schemas}
            isRequired={required}
            description={description}
          />
        ))}
      </dl>
    </>
  );
}

/** The fields of a body. */
export function FieldList({ schema, schemas, level = 1 }: { schema: JsonSchema; schemas: Schemas; level?: number }) {
  const { properties = {}, required = [] } = fieldsOf(schema, schemas) ?? {};
  return (
    <dl class="fields">
      {Object.entries(properties).map(([name, field]) => {
        const inner = level < MOST_LEVELS ? fieldsOf(field, schemas) : null;
        return (
          <Field key={name} name={name} schema={field} schemas={schemas} isRequired={required.includes(name)}>
            {inner && (
              <details>
                <summary>
                  Fields of <code>{name}</code>
                </summary>
                <FieldList schema={inner} schemas={schemas} level={level + 1} />
              </details>
            )}
          </Field>
        );
      })}
    </dl>
  );
}

function Field({ name, schema, schemas, isRequired, description, children }: FieldProps) {
  const words = constraints(schema, schemas);
  return (
    <div>
      <dt>
        <code>{name}</code> <span class="type">{typeName(schema, schemas)}</span>
        {isRequired && <span class="mark">required</span>}
        {schema['x-stability'] === 'beta' && <span class="mark">beta</span>}
      </dt>
      <dd>
        <Markdown text={description ?? schema.description ?? ''} />
        {words.length > 0 && (
          <p class="constraints">
            <Inline text={words.join(' ')} />
          </p>
        )}
        {children}
      </dd>
    </div>
  );
}

/** A form that sends the request of an operation from this page; a script shows it, and sends it. */
export function TryIt({ entry, document }: { entry: ReferenceOperation; document: ApiDocument }) {
  const { method, path, operation } = entry;
  const { operationId, parameters = [], requestBody, 'x-codeSamples': samples } = operation;
  const [type, content] = Object.entries(requestBody?.content ?? {}).find(([each]) => each.endsWith('json')) ?? [];
  const sample = /^ {2}-d '(.*)'$/m.exec(samples?.[0]?.source ?? '')?.[1];
  const body =
    content &&
    JSON.stringify(sample ? JSON.parse(sample) : exampleOf(content.schema, document.components.schemas), null, 2);
  const given = parameters.filter((each) => each.in !== 'header');
  return (
    <details class="try" hidden>
      <summary>Try it</summary>
      <form data-method={method} data-path={path} data-type={type}>
        {given.map(({ name, in: place, required = false }) => (
          <p key={name}>
            <label for={`${operationId}-${name}`}>{name}</label>
            <input id={`${operationId}-${name}`} name={name} data-in={place} required={required} autocomplete="off" />
          </p>
        ))}
        {body && (
          <p>
            <label for={`${operationId}-body`}>Body</label>
            <textarea
              id={`${operationId}-body`}
              data-in="body"
              rows={Math.min(12, body.split('\n').length)}
              spellcheck={false}
            >
              {body}
            </textarea>
          </p>
        )}
        {method !== 'GET' && <p>This changes what the key has access to.</p>}
        <p>
          <button type="submit">Send</button>
        </p>
        <div class="answer" role="status" />
      </form>
    </details>
  );
}
