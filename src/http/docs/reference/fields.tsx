import type { ComponentChildren } from 'preact';
import { inline, Markdown } from '../markdown.js';
import type { ApiDocument, DescribedParameter, JsonSchema } from './reference.js';
import { constraints, fieldsOf, typeName } from './schemas.js';

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
        {words.length > 0 && <p class="constraints">{inline(words.join(' '))}</p>}
        {children}
      </dd>
    </div>
  );
}
