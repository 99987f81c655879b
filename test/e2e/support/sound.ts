import type { Installation } from './service.js';

export interface Verification {
  readonly ok: boolean;
  readonly checked: Readonly<Record<string, number>>;
  readonly problems: readonly {
    readonly invariant: string;
    readonly customerId: number | null;
    readonly photoId: number | null;
    readonly importId: number | null;
    readonly message: string;
    readonly repaired: boolean;
  }[];
}

/** Runs `phs verify`, beside the service or while it is down. */
export async function verification(installation: Installation, ...options: string[]): Promise<Verification> {
  const { status, stdout, stderr } = await installation.operate('verify', '--json', ...options);
  if (status !== 0 && status !== 1) throw new Error(`phs verify ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as Verification;
}

/**
 * Fails with the problems of `phs verify`, if there are any. With a grace of 0 seconds it also fails when anything at all is stored that
 * nobody owns: ask that only while nothing is under way, and after `collectGarbage`.
 */
export async function expectSound(
  installation: Installation,
  { graceSeconds }: { graceSeconds?: number } = {},
): Promise<void> {
  const options = graceSeconds === undefined ? [] : ['--grace', String(graceSeconds)];
  expect((await verification(installation, ...options)).problems).toEqual([]);
}

/** Runs `phs gc`; answers how many of each kind were removed. */
export async function collectGarbage(
  installation: Installation,
  graceSeconds = 0,
): Promise<Readonly<Record<string, number>>> {
  const { status, stdout, stderr } = await installation.operate('gc', '--json', '--grace', String(graceSeconds));
  if (status !== 0) throw new Error(`phs gc ended with ${status}: ${stderr}`);
  return (JSON.parse(stdout) as { removed: Record<string, number> }).removed;
}
