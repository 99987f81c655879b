import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Layout } from './layout.js';
import { CodeTabs, Inline, Markdown } from './markdown.js';
import {
  type ApiDocument,
  constraints,
  type DescribedParameter,
  exampleOf,
  fieldsOf,
  type JsonSchema,
  type Reference,
  type ReferenceOperation,
  type Resource,
  type Schemas,
  typeName,
} from './reference.js';

/** The first page of an API: what holds for all of it, and where everything is. */
export function overviewPage(reference: Reference, references: readonly Reference[]): string {
  const { title, url, file, document, resources } = reference;
  return renderToString(
    <Layout title={title} here={url} references={references}>
      <h1>{title}</h1>
      <p>
        Version {document.info.version}. For programs:{' '}
        {file === null ? <code>/operator/openapi.json</code> : <a href={file}>{file.slice(1)}</a>} (OpenAPI 3.1).
      </p>
      <Markdown text={document.info.description.replace(/^#/gm, '##')} />
      {resources.map((resource) => (
        <section key={resource.name}>
          <h2>
            <a href={resource.url}>{resource.name}</a>
          </h2>
          <p>{resource.description}</p>
          <ul>
            {resource.operations.map(({ url: place, method, path, isEvent, operation }) => (
              <li key={place}>
                <a href={place}>{operation.summary}</a>: <code>{isEvent ? path : `${method} ${path}`}</code>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Layout>,
  );
}

/** The operations of one resource, each with its code beside it. */
export function resourcePage(resource: Resource, { document }: Reference, references: readonly Reference[]): string {
  const hasKey = resource.operations.some(({ operation }) => operation['x-required-scope']);
  return renderToString(
    <Layout title={resource.name} here={resource.url} references={references} isWide>
      <h1>{resource.name}</h1>
      <p>{resource.description}</p>
      {hasKey && (
        // Shown by the script that uses it.
        <p class="key" hidden>
          <label for="try-key">Key for “Try it”</label>
          <input id="try-key" type="password" autocomplete="off" spellcheck={false} aria-describedby="try-key-note" />
          <span id="try-key-note">It stays in this tab, and is sent to this service only.</span>
        </p>
      )}
      {resource.operations.map((entry) => (
        <Operation key={entry.url} entry={entry} document={document} />
      ))}
    </Layout>,
  );
}

function Operation({ entry, document }: { entry: ReferenceOperation; document: ApiDocument }) {
  const { method, path, isEvent, operation } = entry;
  const { operationId, summary, description, parameters = [], requestBody, 'x-codeSamples': samples = [] } = operation;
  const { schemas } = document.components;
  const of = (place: string) => parameters.filter((each) => each.in === place);
  const body = Object.values(requestBody?.content ?? {})[0];
  const [status, response] = Object.entries(operation.responses).find(([each]) => each.startsWith('2')) ?? [];
  const answer = response?.content?.['application/json']?.schema;
  return (
    <section class="operation" id={operationId} aria-labelledby={`${operationId}-title`}>
      <div class="about">
        <h2 id={`${operationId}-title`}>{summary}</h2>
        <p class="route">
          {!isEvent && <span class="method">{method}</span>} <code>{path}</code>
          {operation['x-stability'] === 'beta' && <span class="mark">beta</span>}
        </p>
        <Markdown text={description} />
        <ParameterList title="In the path" all={of('path')} schemas={schemas} />
        <ParameterList title="Query parameters" all={of('query')} schemas={schemas} />
        <ParameterList title="Headers" all={of('header')} schemas={schemas} />
        {body && fieldsOf(body.schema, schemas) && (
          <>
            <h3>Body</h3>
            <p>
              <code>{Object.keys(requestBody?.content ?? {}).join(', ')}</code>
            </p>
            {requestBody?.description && <Markdown text={requestBody.description} />}
            <FieldList schema={body.schema} schemas={schemas} />
          </>
        )}
        {!isEvent && <Responses entry={entry} document={document} />}
      </div>
      <div class="code">
        {samples.length > 0 && (
          <CodeTabs
            id={`${operationId}-language`}
            legend={`Code for “${summary}”`}
            tabs={samples.map(({ label, source }) => ({ label, code: source }))}
          />
        )}
        {operation['x-required-scope'] && <TryIt entry={entry} document={document} />}
        {isEvent && body ? <Example title="Payload" value={exampleOf(body.schema, schemas)} /> : null}
        {!isEvent && answer ? <Example title={`Response ${status}`} value={exampleOf(answer, schemas)} /> : null}
      </div>
    </section>
  );
}

function Responses({ entry, document }: { entry: ReferenceOperation; document: ApiDocument }) {
  const { schemas } = document.components;
  const successes = Object.entries(entry.operation.responses).filter(([status]) => /^[23]/.test(status));
  return (
    <>
      <h3>Responses</h3>
      <dl class="fields">
        {successes.map(([status, { description = '', content }]) => {
          const schema = content?.['application/json']?.schema;
          return (
            <div key={status}>
              <dt>
                <code>{status}</code> <span class="type">{Object.keys(content ?? {}).join(', ') || 'no body'}</span>
              </dt>
              <dd>
                <Markdown text={description} />
                {schema && fieldsOf(schema, schemas) && (
                  <details>
                    <summary>Fields of the response {status}</summary>
                    <FieldList schema={schema} schemas={schemas} />
                  </details>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
      <h3>Errors</h3>
      <ul class="codes">
        {entry.codes.map((code) => (
          <li key={code}>
            <a href={`/docs/errors/${code}`}>
              <code>{code}</code>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function Example({ title, value }: { title: string; value: unknown }) {
  return (
    <>
      <p class="caption">{title}</p>
      <pre class="example" tabindex={0}>
        <code>{JSON.stringify(value, null, 2)}</code>
      </pre>
    </>
  );
}

/** Deeper fields are in the document, and on the page of their own resource. */
const MOST_LEVELS = 3;

function ParameterList(props: { title: string; all: readonly DescribedParameter[]; schemas: Schemas }) {
  const { title, all, schemas } = props;
  if (all.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <dl class="fields">
        {all.map(({ required = false, ...parameter }) => (
          <Field key={parameter.name} {...parameter} schemas={schemas} isRequired={required} />
        ))}
      </dl>
    </>
  );
}

function FieldList({ schema, schemas, level = 1 }: { schema: JsonSchema; schemas: Schemas; level?: number }) {
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

function Field(
  props: Pick<DescribedParameter, 'name' | 'schema'> & {
    schemas: Schemas;
    isRequired: boolean;
    description?: string;
    children?: ComponentChildren;
  },
) {
  const { name, schema, schemas, isRequired, description, children } = props;
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
function TryIt({ entry, document }: { entry: ReferenceOperation; document: ApiDocument }) {
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
