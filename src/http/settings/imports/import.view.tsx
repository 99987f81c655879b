import type { CountedImport } from '../../../core/imports/import.js';
import type { ImportDetails } from '../../../core/imports/read.js';
import { Card, Heading, Moment } from '../parts.js';
import { countsText } from './import-state.js';
import { Importer } from './importer.view.js';

interface ImportProps {
  readonly begun: ImportDetails | null;
  /** Imports that can be resumed. */
  readonly unfinished: readonly CountedImport[];
}

export function ImportPage({ begun, unfinished }: ImportProps) {
  if (begun !== null) {
    return (
      <>
        <Heading title={`Continue import ${begun.id}`} lead={countsText(begun.counts)} />
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
                  started <Moment at={subject.createdAt} />: {countsText(subject.counts)}
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
