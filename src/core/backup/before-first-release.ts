/** The numbers that end the names of all migrations from before 0.1.0. None of a release has such a number. */
const NUMBERS = { first: 1_763_700_000_001, last: 1_763_700_000_999 } as const;
const DIGITS = 13;

const FACTS = {
  database: {
    finding: 'The database was made by a version before 0.1.0, and nothing in it has been changed',
    export: 'export its photos with that version',
  },
  backup: {
    finding: 'The backup was made by a version before 0.1.0, and nothing has been written',
    export: 'restore it with that version, export its photos there',
  },
} as const;

/** A database, or a backup of one, of a version before 0.1.0, the first release. Nothing was changed. */
export class BeforeFirstRelease extends Error {
  readonly finding: string;
  readonly advice: string;

  constructor(what: keyof typeof FACTS) {
    const { finding, export: first } = FACTS[what];
    const advice = `${first} (phs export), and import them with this one into a new installation (phs import --from photo-service; docs/upgrading.md).`;
    super(`${finding}: ${advice}`);
    this.finding = finding;
    this.advice = advice;
  }
}

/**
 * Refuses what was made before 0.1.0.
 * @param migrations Names of the migrations that were run.
 * @throws BeforeFirstRelease
 */
export function refuseBeforeFirstRelease(what: keyof typeof FACTS, migrations: readonly string[]): void {
  if (isBeforeFirstRelease(migrations)) throw new BeforeFirstRelease(what);
}

export function isBeforeFirstRelease(migrations: readonly string[]): boolean {
  return migrations.some((name) => {
    const number = Number(name.slice(-DIGITS));
    return number >= NUMBERS.first && number <= NUMBERS.last;
  });
}
