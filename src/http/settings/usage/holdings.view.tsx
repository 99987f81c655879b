import type { Traffic } from '../../../core/traffic/read-traffic.js';
import { bytes, number, pluralize } from '../counted.js';
import { Meter } from './chart.view.js';

/** What an account holds, compared with its quota. */
export function Holdings({ traffic: { customer, usage, quotaUse } }: { traffic: Traffic }) {
  const { photosLimit, storageBytesLimit } = customer;
  return (
    <div class="tiles">
      <Tile
        title="Photos"
        value={number(quotaUse.photos)}
        note={usage.trashedPhotos > 0 ? `${number(usage.trashedPhotos)} of them in the trash` : null}
        used={quotaUse.photos}
        limit={photosLimit}
        words={(limit) => pluralize(limit, 'photo')}
      />
      <Tile
        title="Storage"
        value={bytes(quotaUse.storageBytes)}
        note={storageNote(usage)}
        used={quotaUse.storageBytes}
        limit={storageBytesLimit}
        words={bytes}
      />
    </div>
  );
}

function storageNote({ trashedBytes, renditionBytes }: Traffic['usage']): string | null {
  const parts = [
    ...(trashedBytes > 0 ? [`${bytes(trashedBytes)} of it in the trash`] : []),
    ...(renditionBytes > 0 ? [`renditions take ${bytes(renditionBytes)} more, outside the quota`] : []),
  ];
  return parts.length > 0 ? parts.join('; ') : null;
}

interface TileProps {
  readonly title: string;
  readonly value: string;
  readonly note: string | null;
  readonly used: number;
  readonly limit: number | null;
  readonly words: (limit: number) => string;
}

function Tile({ title, value, note, used, limit, words }: TileProps) {
  return (
    <section class="card tile">
      <h2>{title}</h2>
      <p class="figure">{value}</p>
      {limit === null ? (
        <p class="hint">Without limit.</p>
      ) : (
        <>
          <Meter used={used} limit={limit} label={`${title}: ${percent(used, limit)} of the quota`} />
          <p class="hint">
            {percent(used, limit)} of {words(limit)}
          </p>
        </>
      )}
      {note && <p class="hint">{note}</p>}
    </section>
  );
}

function percent(used: number, limit: number): string {
  const share = limit === 0 ? 100 : Math.floor((used / limit) * 100);
  return share === 0 && used > 0 ? 'Less than 1 %' : `${share} %`;
}
