import type { Limits } from '../../core/customers/limits.js';
import { type CountedImport, type ImportStatus, progress } from '../../core/imports/import.js';
import type { ImportDetails, ItemDetails } from '../../core/imports/read.js';
import { Button, Form } from '../form.js';
import { type Formats, useFormats } from '../formats.js';
import { Badge, Card, Empty, Fact, Heading, LinkButton, Moment, Table, type Tone } from '../parts.js';
import { countsText, failureOf } from './import-state.js';
import { Importer } from './importer.view.js';

interface ImportsProps {
  readonly imports: readonly CountedImport[];
  readonly older: string | null;
  readonly isFirst: boolean;
}

export function ImportsPage({ imports, older, isFirst }: ImportsProps) {
  const formats = useFormats();
  return (
    <>
      <Heading title="Imports" lead="From these pages, the API and the command line.">
        <LinkButton href="/settings/import" icon="image-plus" label="Add photos" kind="primary" />
      </Heading>
      {imports.length === 0 && isFirst ? (
        <Empty icon="upload" title="No imports yet">
          <p>Each time you add photos, the result is listed here.</p>
          <LinkButton href="/settings/import" icon="image-plus" label="Add photos" kind="primary" />
        </Empty>
      ) : (
        <div data-live={imports.some(isMoving) ? '' : undefined}>
          <Table
            caption="Imports"
            columns={['Import', 'State', 'Photos', 'Size', 'Started']}
            rows={imports.map((subject) => ({ key: subject.id, cells: cellsOf(formats, subject) }))}
          />
        </div>
      )}
      {older && (
        <p class="more">
          <a class="button plain" rel="next" href={`/settings/imports?cursor=${encodeURIComponent(older)}`}>
            Older imports
          </a>
        </p>
      )}
    </>
  );
}

function cellsOf(formats: Formats, subject: CountedImport) {
  const path = `/settings/imports/${subject.id}`;
  return [
    <>
      <a href={path}>{nameOf(subject)}</a>
      {subject.source && <span class="small soft">{subject.source}</span>}
    </>,
    <span data-live-part={`state-${subject.id}`}>
      <State subject={subject} />
    </span>,
    <span data-live-part={`counts-${subject.id}`}>{countsText(formats, subject.counts)}</span>,
    formats.bytes(subject.totalBytes),
    <Moment at={subject.createdAt} />,
  ];
}

function nameOf({ id, name }: Pick<CountedImport, 'id' | 'name'>): string {
  return name ?? `Import ${id}`;
}

/** Whether it changes without any action on this page. */
function isMoving({ status, counts }: CountedImport): boolean {
  return (
    status === 'processing' || (status === 'open' && counts.awaitingUpload + counts.fetching + counts.processing > 0)
  );
}

const states: Readonly<Record<ImportStatus, readonly [Tone, string]>> = {
  open: ['plain', 'Open'],
  processing: ['plain', 'Processing'],
  completed: ['good', 'Completed'],
  completed_with_errors: ['warn', 'Completed, with failures'],
  cancelled: ['plain', 'Discarded'],
  expired: ['warn', 'Expired'],
};

function State({ subject }: { subject: CountedImport }) {
  const [tone, text] = states[subject.status];
  return (
    <>
      <Badge tone={tone}>{text}</Badge>
      {subject.status === 'processing' && (
        <progress class="small-progress" max={1} value={progress(subject)} aria-label="Progress" />
      )}
    </>
  );
}

interface DetailsProps {
  readonly subject: ImportDetails;
  /** The items that failed, and those that have not arrived. */
  readonly items: readonly ItemDetails[];
  readonly more: string | null;
  readonly limits: Limits;
}

export function ImportDetailsPage({ subject, items, more, limits }: DetailsProps) {
  const formats = useFormats();
  const path = `/settings/imports/${subject.id}`;
  return (
    <>
      <Heading title={nameOf(subject)} lead={subject.source ?? undefined}>
        {subject.counts.imported > 0 && (
          <LinkButton href={`/settings/library?import=${subject.id}`} label="Show the photos" />
        )}
      </Heading>
      <div data-live={isMoving(subject) ? '' : undefined} class="import-details">
        <Card>
          <div data-live-part="state" data-live-state={subject.status}>
            <p>
              <State subject={subject} />
            </p>
            <p>{countsText(formats, subject.counts)}</p>
          </div>
          <dl class="import-facts">
            <Fact name="Started">
              <Moment at={subject.createdAt} />
            </Fact>
            {subject.completedAt && (
              <Fact name="Ended">
                <Moment at={subject.completedAt} />
              </Fact>
            )}
            {subject.expiresAt && (
              <Fact name="Stays open until">
                <Moment at={subject.expiresAt} />
              </Fact>
            )}
            <Fact name="Size">{formats.bytes(subject.totalBytes)}</Fact>
            {subject.tags.length > 0 && <Fact name="Tags">{subject.tags.map(({ name }) => name).join(', ')}</Fact>}
          </dl>
        </Card>
      </div>
      {subject.status === 'open' && <OpenActions subject={subject} path={path} />}
      {items.length > 0 && (
        <section class="not-in" aria-label="Failed files">
          <h2>Failed files</h2>
          <Table
            caption="Failed files"
            columns={['File', 'Why', 'Size']}
            rows={items.map((item) => ({
              key: item.id,
              cells: [
                item.filename,
                item.status === 'failed' ? failureOf(item, limits) : 'Not received yet.',
                item.sizeBytes === null ? '' : formats.bytes(item.sizeBytes),
              ],
            }))}
          />
        </section>
      )}
      {more && (
        <p class="more">
          <a class="button plain" rel="next" href={`${path}?cursor=${encodeURIComponent(more)}`}>
            Next page
          </a>
        </p>
      )}
    </>
  );
}

function OpenActions({ subject, path }: { subject: ImportDetails; path: string }) {
  const missing = subject.counts.awaitingUpload;
  return (
    <Card
      title="This import is open"
      lead={
        missing === 0
          ? 'Its photos are added to the library when you finish it.'
          : `${missing === 1 ? '1 file is' : `${missing} files are`} still missing. Send the missing files, or finish without them.`
      }
    >
      <div class="actions">
        <Form action={`${path}/finish`}>
          <input type="hidden" name="missing" value={missing === 0 ? 'reject' : 'fail'} />
          <Button kind={missing === 0 ? 'primary' : 'plain'}>{missing === 0 ? 'Finish' : 'Finish without them'}</Button>
        </Form>
        <LinkButton href={`/settings/import?import=${subject.id}`} label="Send more files" />
        <LinkButton href={`${path}/discard`} label="Discard" />
      </div>
    </Card>
  );
}

interface ImportProps {
  readonly begun: ImportDetails | null;
  /** Imports that can be resumed. */
  readonly unfinished: readonly CountedImport[];
}

export function ImportPage({ begun, unfinished }: ImportProps) {
  const formats = useFormats();
  if (begun !== null) {
    return (
      <>
        <Heading title={`Continue import ${begun.id}`} lead={countsText(formats, begun.counts)} />
        <p>Select the same files again: what has already arrived is not sent again.</p>
        <Importer begun={begun} title="Drop the same files here" />
      </>
    );
  }
  return (
    <>
      <Heading
        title="Add photos"
        lead="Originals are stored unchanged. Each file is checked before it is added to the library."
      />
      <Importer />
      {unfinished.length > 0 && (
        <Card title="Unfinished import">
          <ul class="unfinished">
            {unfinished.map((subject) => (
              <li key={subject.id}>
                <a href={`/settings/imports/${subject.id}`}>{subject.name ?? `Import ${subject.id}`}</a>{' '}
                <span class="soft">
                  started <Moment at={subject.createdAt} />: {countsText(formats, subject.counts)}
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
