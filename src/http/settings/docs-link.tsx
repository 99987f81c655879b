import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** Whether this service shows its documentation, under `/docs`. */
export const HasDocs = createContext(true);

interface DocsLinkProps {
  /** Below `/docs`. */
  readonly path?: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A link into the documentation; where that is not served, its text alone. */
export function DocsLink({ path = '', class: style, children }: DocsLinkProps) {
  if (!useContext(HasDocs)) return <span class={style}>{children}</span>;
  return (
    <a class={style} href={`/docs${path}`}>
      {children}
    </a>
  );
}
