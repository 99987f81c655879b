/** Options of an `edit` of something that gives access. */
export interface AccessOptions {
  readonly name?: string;
  /** False: every address. */
  readonly ip?: readonly string[] | false;
  readonly expiresAt?: Date | 'never';
}

/** Absent options change nothing. */
export function accessChanges({ name, ip, expiresAt }: AccessOptions) {
  return {
    ...(name !== undefined && { name }),
    ...(ip !== undefined && { ipList: ip === false ? [] : ip }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === 'never' ? null : expiresAt }),
  };
}
