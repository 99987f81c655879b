import type { ComponentChildren } from 'preact';
import { Button, Form } from './form.js';
import { Icon } from './icon.js';
import type { IconName } from './icon-shapes.js';

/** The heading of a page, what it is for, and its main action beside it. */
export function Heading({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <div class="heading">
      <div>
        <h1>{title}</h1>
        {lead && <p class="lead">{lead}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}

/** A part of a page with a heading of its own. */
export function Card({
  title,
  lead,
  children,
}: {
  title?: string;
  lead?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="card">
      {title && <h2>{title}</h2>}
      {lead && <p class="lead">{lead}</p>}
      {children}
    </section>
  );
}

/** On a phone each row becomes a block of its own, in which every cell says its column. Cells in the order of `columns`. */
export function Table({
  caption,
  columns,
  rows,
}: {
  /** Read out, not shown. */
  caption: string;
  columns: readonly string[];
  rows: readonly { key: string | number; cells: readonly ComponentChildren[] }[];
}) {
  return (
    <div class="table">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column === '' ? <span class="unseen">Actions</span> : column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, at) => (
                <td key={columns[at]} data-column={columns[at]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Where there is nothing yet: what would be here, and how it comes. */
export function Empty({ title, icon, children }: { title: string; icon?: IconName; children?: ComponentChildren }) {
  return (
    <div class="empty">
      {icon && <Icon name={icon} />}
      <p class="title">{title}</p>
      {children}
    </div>
  );
}

export function Badge({
  tone = 'plain',
  children,
}: {
  tone?: 'plain' | 'good' | 'warn' | 'bad';
  children: ComponentChildren;
}) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Asks before something that cannot be undone. Nothing but a page: it works without scripts. */
export function Confirm({
  title,
  action,
  button,
  back,
  children,
}: {
  title: string;
  action: string;
  button: string;
  back: string;
  children: ComponentChildren;
}) {
  return (
    <section class="card confirm">
      <h1>{title}</h1>
      {children}
      <Form action={action}>
        <div class="buttons">
          <Button kind="danger">{button}</Button>
          <a class="button plain" href={back}>
            Cancel
          </a>
        </div>
      </Form>
    </section>
  );
}

/** A moment, for people and for machines; the browser shows it in its own zone (page.ts). */
export function Moment({ at, none = 'never' }: { at: Date | null; none?: string }) {
  if (at === null) return <>{none}</>;
  return <time datetime={at.toISOString()}>{`${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`}</time>;
}
