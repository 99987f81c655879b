import type { ComponentChildren } from 'preact';
import { encode } from 'uqr';
import type { Page } from '../core/shared/pagination.js';
import { address } from './address.js';
import { Button, type ButtonKind, Form } from './form.js';
import { type IconName, iconShapes } from './icon-shapes.js';

interface HeadingProps {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The heading of a page, what it is for, and its main action beside it. */
export function Heading({ title, lead, children }: HeadingProps) {
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

export function Card({ title, lead, children }: Omit<HeadingProps, 'title'> & { title?: string | undefined }) {
  return (
    <section class="card">
      {title && <h2>{title}</h2>}
      {lead && <p class="lead">{lead}</p>}
      {children}
    </section>
  );
}

interface TableProps {
  /** Read out, not shown. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly key: string | number; readonly cells: readonly ComponentChildren[] }[];
}

/** On a phone each row becomes a block of its own, in which every cell says its column. Cells in the order of `columns`. */
export function Table({ caption, columns, rows }: TableProps) {
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

export type Tone = 'plain' | 'good' | 'warn' | 'bad';

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

interface ConfirmProps {
  readonly title: string;
  readonly action: string;
  readonly button: string;
  readonly back: string;
  readonly children: ComponentChildren;
}

/** Asks before something that cannot be undone. Nothing but a page: it works without scripts. */
export function Confirm({ title, action, button, back, children }: ConfirmProps) {
  return (
    <section class="card confirm">
      <h1>{title}</h1>
      {children}
      <Form action={action}>
        <Buttons label={button} kind="danger" cancel={back} />
      </Form>
    </section>
  );
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A moment, for people and for machines; the browser shows it in its own zone (page.ts). */
export function Moment({ at, none = 'never' }: { at: Date | null; none?: string }) {
  if (at === null) return <>{none}</>;
  return <time datetime={at.toISOString()}>{`${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`}</time>;
}

/** Beside the text of a button or link, which says what it does: screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={iconShapes[name]} />
    </svg>
  );
}

interface LinkButtonProps {
  readonly href: string;
  readonly label: string;
  readonly icon?: IconName;
  readonly kind?: ButtonKind;
  readonly isSmall?: boolean;
  readonly rel?: 'next';
  /** The name for screen readers, where several links have the same label. */
  readonly name?: string;
}

export function LinkButton({ href, label, icon, kind = 'plain', isSmall = false, rel, name }: LinkButtonProps) {
  return (
    <a class={`button ${kind}${isSmall ? ' small' : ''}`} href={href} rel={rel} aria-label={name}>
      {icon && <Icon name={icon} />}
      {icon ? ` ${label}` : label}
    </a>
  );
}

/** The end of a card without a form: the link that leads on. */
export function ContinueLink(link: LinkButtonProps) {
  return (
    <div class="buttons">
      <LinkButton {...link} />
    </div>
  );
}

interface ButtonsProps {
  readonly label: string;
  readonly kind?: ButtonKind;
  /** The way back, if the form is a page of its own. */
  readonly cancel?: string | undefined;
  readonly children?: ComponentChildren;
}

/** The end of a form: its button, others if there are any, and the way back. */
export function Buttons({ label, kind, cancel, children }: ButtonsProps) {
  return (
    <div class="buttons">
      <Button kind={kind}>{label}</Button>
      {children}
      {cancel !== undefined && <LinkButton href={cancel} label="Cancel" />}
    </div>
  );
}

/** A text that people take somewhere else, often shown only once. The button appears where scripts run; `Copied` tells what it did. */
export function Copyable(props: { id: string; text: string; small?: boolean; codes?: boolean }) {
  const { id, text, small = false, codes = false } = props;
  return (
    <div class="secret">
      <code id={id} class={codes ? 'codes' : undefined}>
        {text}
      </code>
      <button class={`button plain${small ? ' small' : ''}`} type="button" data-copy={id} hidden>
        Copy
      </button>
    </div>
  );
}

/** The place where the script speaks to screen readers, once on a page with texts to copy. */
export function Copied() {
  return <p class="unseen" id="copied" role="status" />;
}

interface PagingProps {
  readonly page: Pick<Page<unknown>, 'nextCursor'>;
  readonly path: string;
  /** The search in the address; the cursor is added. */
  readonly query?: Readonly<Record<string, string>>;
  /** The cursor of this page; empty on the first. */
  readonly cursor: string;
  /** The list that these are the pages of, for those who do not see. */
  readonly label: string;
}

/** Under a list: the way to its next page, and back to its first. */
export function Paging({ page, path, query = {}, cursor, label }: PagingProps) {
  if (page.nextCursor === null && cursor === '') return null;
  return (
    <nav class="paging" aria-label={label}>
      {cursor === '' ? <span /> : <LinkButton href={address(path, query)} label="First page" isSmall />}
      {page.nextCursor === null ? (
        <span class="hint">This is the last page.</span>
      ) : (
        <LinkButton href={address(path, { ...query, cursor: page.nextCursor })} label="Next page" isSmall rel="next" />
      )}
    </nav>
  );
}

/**
 * A code from which a camera reads a text. `label`: for screen readers. Drawn dark on light in every colour scheme: not every camera reads the
 * reverse.
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { border: 4 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : []))).join('');
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
