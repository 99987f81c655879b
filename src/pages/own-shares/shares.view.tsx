import type { ComponentChildren } from 'preact';
import { type Id, parseId } from '../../core/shared/ids.js';
import { isOver, MAX_SHARES, type Share } from '../../core/shares/share.js';
import type { ShareWithToken } from '../../core/shares/shares.js';
import type { Tag } from '../../core/tags/tag.js';
import { type Formats, useFormats } from '../formats.js';
import { Badge, Card, Copied, Copyable, Empty, Heading, Moment, QrCode, Table } from '../parts.js';

interface ShareListProps {
  readonly shares: readonly ShareWithToken[];
  /** The tags whose photos are shared, as far as they still exist. */
  readonly tags: readonly Tag[];
  readonly now: Date;
  linkOf(token: string): string;
}

export function ShareList({ shares, tags, now, linkOf }: ShareListProps) {
  const formats = useFormats();
  return (
    <>
      <Heading title="Shares" lead={`Links under which others see photos, without an account. At most ${MAX_SHARES}.`}>
        <a class="button primary" href={`${LIST}/new`}>
          Create share
        </a>
      </Heading>
      {shares.length === 0 ? (
        <Empty icon="share-2" title="No shares yet">
          <p>Share the photos of a tag, or select some in the library.</p>
        </Empty>
      ) : (
        <Table
          caption="Shares"
          columns={['Share', 'Photos', 'Visits', 'Expires', 'Link', '']}
          rows={shares.map(({ share, token }) => ({
            key: share.id,
            cells: [
              <>
                <a class="strong" href={sharePagePath(share.id)}>
                  {share.title}
                </a>
                {share.passwordHash !== null && <Badge>Password</Badge>}
                {isOver(share, now) && <Badge tone="bad">Expired</Badge>}
              </>,
              contentsOf(formats, share, tags),
              <Visits key="visits" share={share} />,
              <Moment key="expires" at={share.expiresAt} />,
              <Link key="link" id={`link-${share.id}`} link={token && linkOf(token)} />,
              <span key="do" class="actions">
                <a
                  class="button plain small"
                  href={sharePagePath(share.id, 'revoke')}
                  aria-label={`Revoke ${share.title}`}
                >
                  Revoke…
                </a>
              </span>,
            ],
          }))}
        />
      )}
      <Copied />
    </>
  );
}

interface ShareHeadProps {
  readonly share: Share;
  readonly tags: readonly Tag[];
  /** Null: it cannot be shown. */
  readonly link: string | null;
  readonly now: Date;
  readonly children: ComponentChildren;
}

export function SharePage({ share, tags, link, now, children }: ShareHeadProps) {
  const formats = useFormats();
  return (
    <>
      <Heading title={`Share “${share.title}”`} lead={contentsOf(formats, share, tags)}>
        <a class="button plain" href={sharePagePath(share.id, 'revoke')}>
          Revoke…
        </a>
      </Heading>
      <Card title="Link" lead="Whoever has it sees the photos. Pass it on as you would a key.">
        {isOver(share, now) && <p class="flash warn">This link has expired. Choose a later date to open it again.</p>}
        <Link id="link" link={link} />
        <Copied />
        {link !== null && <QrCode text={link} label="QR code of the link" />}
        <p>
          <Visits share={share} />
        </p>
      </Card>
      {children}
    </>
  );
}

function Link({ id, link }: { id: string; link: string | null }) {
  if (link === null) return <>It cannot be shown: the operator has to add the SECRET_KEY under which it was created.</>;
  return <Copyable id={id} text={link} small />;
}

function Visits({ share: { visits, lastVisitedAt } }: { share: Share }) {
  const formats = useFormats();
  if (lastVisitedAt === null) return <>No visits yet</>;
  return (
    <>
      {formats.pluralize(visits, 'visit')}, last <Moment at={lastVisitedAt} />
    </>
  );
}

function contentsOf(formats: Formats, { tagId, photoIds }: Share, tags: readonly Tag[]): string {
  if (tagId === null) return `${formats.pluralize(photoIds.length, 'chosen photo')}`;
  const tag = tags.find(({ id }) => id === tagId);
  return tag === undefined ? 'None: the tag was deleted' : `All with the tag “${tag.name}”`;
}

export const LIST = '/settings/shares';
/** The options of every page about shares. */
export const AREA = { section: 'shares', styles: ['areas.css'] } as const;

export function sharePagePath(id: Id, act?: 'revoke'): string {
  return act === undefined ? `${LIST}/${id}` : `${LIST}/${id}/${act}`;
}

/** Where these photos can be shared. A thousand of them fit into an address, which is short of a character between two that would be encoded. */
export function newSharePath(photoIds: readonly Id[]): string {
  return `${LIST}/new?photos=${photoIds.join('.')}`;
}

/** The photos that such an address names; null if it names none. */
export function photosIn(text: string): readonly Id[] | null {
  const ids = text.split('.').flatMap((each) => parseId(each) ?? []);
  return ids.length === 0 ? null : ids;
}
