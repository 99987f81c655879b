import { Allowed } from '../allowed.js';
import { DocsLink } from '../docs-link.js';

/** What somebody does first, below the place for the first photos: gone when these have come. */
export function FirstSteps() {
  return (
    <section class="first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <ol>
        <li>
          <h3>Add photos</h3>
          <p>
            Drop files or whole folders above. From a camera roll, Google Photos, Immich or a bucket,{' '}
            <DocsLink>the command line</DocsLink> brings thousands with their albums and dates.
          </p>
        </li>
        <li>
          <h3>Look, tag and share</h3>
          <p>
            Select photos to tag, rate or move many at once: each action has an Undo. A{' '}
            <a href="/settings/shares">share</a> shows some of them to people without an account.
          </p>
        </li>
        <Allowed least="admin">
          <li>
            <h3>Connect a program</h3>
            <p>
              Create an <a href="/settings/keys/new">API key</a> with the scopes that it needs, and follow{' '}
              <DocsLink>the documentation</DocsLink>.
            </p>
          </li>
        </Allowed>
      </ol>
    </section>
  );
}
