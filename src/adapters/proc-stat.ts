/** Where proc_pid_stat(5) has the fields that we read, among those that `statFields` returns. */
export const [STATE, USER_TIME, SYSTEM_TIME, START_TIME] = [0, 11, 12, 19] as const;

/** The fields of a /proc/PID/stat from the third on: the second, a command's name in brackets, may contain spaces and brackets. */
export function statFields(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
