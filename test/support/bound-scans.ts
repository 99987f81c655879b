import { type Query, tablesByReference } from '../../src/adapters/typeorm/database/catalogue.js';

/** The parts that are read of a plan, as EXPLAIN writes it in JSON (PostgreSQL manual, "Using EXPLAIN"). */
interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly Plans?: readonly Node[];
  readonly [condition: string]: unknown;
}

const CONDITIONS = ['Index Cond', 'Recheck Cond', 'Filter', 'Hash Cond', 'Merge Cond', 'Join Filter'];
/** One column that says whose a row is, and what it is compared with: another such column, or null for a parameter. */
type Same = readonly [alias: string, column: string, other: string | null, otherColumn: string | null];

const SAME = /^(\w+)\.(customer_id|id) = (?:(\w+)\.(customer_id|id)|\$\d+|ANY \(\$\d+\))$/;

/**
 * Tells of statements how the server would run them, whatever their parameters are, and what they would read of more than one customer.
 * Needs Postgres 16.
 */
export class Planner {
  private constructor(
    private readonly query: Query,
    /** Which column says whose a row is. */
    private readonly owners: ReadonlyMap<string, string>,
  ) {}

  static async of(query: Query): Promise<Planner> {
    const tables = await tablesByReference(query);
    const tenants = tables.flatMap(({ name, isTenants }) => (isTenants ? [[name, 'customer_id'] as const] : []));
    return new Planner(query, new Map([...tenants, ['customers', 'id']]));
  }

  /**
   * The tables of customers that a statement would read without being confined to one: neither compared with a parameter, nor with the
   * rows of a table that is, nor with rows that were given. And those that it would store into without saying whose the rows are.
   */
  async unbound(sql: string): Promise<readonly string[]> {
    const [row] = await this.query(`EXPLAIN (GENERIC_PLAN, VERBOSE, COSTS OFF, FORMAT JSON) ${sql}`);
    const nodes = flat((row as { 'QUERY PLAN': readonly { Plan: Node }[] })['QUERY PLAN'][0]?.Plan);
    const scans = nodes.flatMap(({ 'Node Type': type, 'Relation Name': table = '', Alias: alias = '' }) =>
      type !== 'ModifyTable' && this.owners.has(table) ? [{ table, alias }] : [],
    );
    const bound = this.boundOf(scans, nodes);
    const stored = nodes.flatMap(({ 'Node Type': type, Operation, 'Relation Name': table = '' }) =>
      type === 'ModifyTable' && Operation === 'Insert' && this.owners.get(table) === 'customer_id' ? [table] : [],
    );
    return [
      ...scans.filter(({ alias }) => !bound.has(alias)).map(({ table }) => table),
      ...stored.filter((table) => !new RegExp(`INSERT INTO "?${table}\\b[^(]*\\([^)]*\\bcustomer_id\\b`).test(sql)),
    ];
  }

  /** Aliases that are confined: to a parameter, or to what is confined already, over as many tables as there are. */
  private boundOf(scans: readonly { table: string; alias: string }[], nodes: readonly Node[]): ReadonlySet<string> {
    const tableOf = new Map(scans.map(({ table, alias }) => [alias, table]));
    const owner = (alias: string, column: string) => this.owners.get(tableOf.get(alias) ?? '') === column;
    const pairs: [string, string][] = [];
    const bound = new Set<string>();
    // What a bitmap's parts say the scan of its table says again.
    const said = nodes.filter((node) => node['Node Type'] !== 'Bitmap Index Scan');
    const conditions = said.flatMap((node) => CONDITIONS.map((name) => String(node[name] ?? '').replaceAll('"', '')));
    for (const [left, leftColumn, right, rightColumn] of conditions.flatMap(implied)) {
      if (right === null || rightColumn === null) {
        if (owner(left, leftColumn)) bound.add(left);
        continue;
      }
      // What is no table is rows that were given, or made of tables that are looked at by themselves.
      for (const [one, column, other] of [
        [left, leftColumn, right],
        [right, rightColumn, left],
      ] as const) {
        if (owner(one, column) && !tableOf.has(other)) bound.add(one);
      }
      if (owner(left, leftColumn) && owner(right, rightColumn)) pairs.push([left, right], [right, left]);
    }
    for (let before = -1; before !== bound.size; ) {
      before = bound.size;
      for (const [one, other] of pairs) if (bound.has(one)) bound.add(other);
    }
    return bound;
  }
}

function flat(node: Node | undefined): readonly Node[] {
  return node === undefined ? [] : [node, ...(node.Plans ?? []).flatMap(flat)];
}

/** What holds wherever the condition does. */
function implied(condition: string): readonly Same[] {
  const text = bare(condition);
  const either = parts(text, ' OR ');
  if (either.length > 1) {
    const [first = [], ...others] = either.map(implied);
    return first.filter((same) => others.every((other) => other.some((each) => `${each}` === `${same}`)));
  }
  const all = parts(text, ' AND ');
  if (all.length > 1) return all.flatMap(implied);
  const [, alias, column, other, otherColumn] = SAME.exec(text) ?? [];
  return alias === undefined || column === undefined ? [] : [[alias, column, other ?? null, otherColumn ?? null]];
}

/** Without the parentheses around the whole. */
function bare(text: string): string {
  const inner = text.slice(1, -1);
  return text.startsWith('(') && text.endsWith(')') && isBalanced(inner) ? bare(inner) : text;
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const sign of text) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Between the words that stand outside of all parentheses. */
function parts(text: string, word: string): readonly string[] {
  const found: string[] = [];
  for (const piece of text.split(word)) {
    const last = found.at(-1);
    if (last !== undefined && !isBalanced(last)) found[found.length - 1] = `${last}${word}${piece}`;
    else found.push(piece);
  }
  return found;
}
