import type { ApiDocument, ReferenceOperation } from './reference.js';
import { exampleOf } from './schemas.js';

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
