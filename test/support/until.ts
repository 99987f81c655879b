/** Resolves once `holds` does; rejects when it has not within a minute, which no test should need. Looks again every 10 ms. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('What was waited for did not happen.');
    await new Promise((wake) => setTimeout(wake, 10));
  }
}
