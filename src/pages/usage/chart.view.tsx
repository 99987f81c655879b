import { usePageContext } from '../page-context.js';

export interface Column {
  readonly name: string;
  /** Whether its name stands below it. */
  readonly isNamed: boolean;
  readonly requests: number;
  readonly limited: number;
  readonly failed: number;
}

/** The measures of a chart on a desktop, and on a phone. */
const sizes = { wide: { width: 900, height: 190 }, narrow: { width: 340, height: 170 } } as const;
/** Room for the numbers on the left and the names below, of which the last is wider than its column. */
const [LEFT, RIGHT, BOTTOM, TOP] = [56, 16, 24, 8];

interface ChartProps {
  readonly columns: readonly Column[];
  /** On a phone: only the last of them, where all would be too thin to see. */
  readonly most?: number;
  readonly label: string;
}

/** Requests of each day or hour as columns, in two sizes of which the style shows one. The table beside it says the same to those who do not see it. */
export function Chart({ columns, most = columns.length, label }: ChartProps) {
  return (
    <>
      <Columns size="wide" columns={columns} label={label} />
      <Columns size="narrow" columns={columns.slice(-most)} label={label} />
    </>
  );
}

function Columns({ size, columns, label }: Omit<ChartProps, 'most'> & { size: keyof typeof sizes }) {
  const { formats } = usePageContext();
  const { width: wide, height: tall } = sizes[size];
  const top = niceTop(Math.max(...columns.map(({ requests }) => requests)));
  const step = Math.floor((wide - LEFT - RIGHT) / columns.length);
  const gap = Math.min(4, Math.floor(step / 5));
  const height = (value: number) => Math.round(((tall - BOTTOM - TOP) * value * 10) / top) / 10;
  const base = tall - BOTTOM;
  return (
    <svg class={`chart ${size}`} viewBox={`0 0 ${wide} ${tall}`} role="img" aria-label={label}>
      {[0, top / 2, top].map((value) => (
        <g key={value}>
          <line class="rule" x1={LEFT} x2={wide} y1={base - height(value)} y2={base - height(value)} />
          <text x={LEFT - 8} y={base - height(value) + 4} text-anchor="end">
            {formats.number(value)}
          </text>
        </g>
      ))}
      {columns.map(({ name, isNamed, requests, limited, failed }, at) => {
        const [x, width] = [LEFT + at * step + gap, step - 2 * gap];
        const parts = [
          ['good', requests - limited - failed],
          ['bad', failed],
          ['warn', limited],
        ] as const;
        let below = base;
        return (
          <g key={name}>
            <title>{`${name}: ${formats.pluralize(requests, 'request')}, ${formats.pluralize(failed, 'error')}, ${formats.number(limited)} over the limit`}</title>
            <rect class="hit" x={LEFT + at * step} y={TOP} width={step} height={base - TOP} />
            {parts.map(([kind, value]) => {
              if (value <= 0) return null;
              below -= height(value);
              return <rect class={`part ${kind}`} key={kind} x={x} y={below} width={width} height={height(value)} />;
            })}
            {isNamed && (
              <text x={x + width / 2} y={tall - 6} text-anchor="middle">
                {name}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

/** The next even number with one digit that is not 0, so that half of it is a whole one. */
function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 2)));
  const tops = [1, 2, 3, 4, 5, 6, 8, 10].map((times) => times * power);
  return tops.find((top) => top >= most && top % 2 === 0) ?? 10 * power;
}

/** A bar that shows how much of a quota is used. */
export function Meter({ used, limit, label }: { used: number; limit: number; label: string }) {
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  const tone = share >= 1 ? 'bad' : share >= 0.9 ? 'warn' : 'good';
  return (
    <svg class="meter" viewBox="0 0 100 3" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="all" x="0" y="0" width="100" height="3" />
      <rect class={`part ${tone}`} x="0" y="0" width={share * 100} height="3" />
    </svg>
  );
}
