/**
 * Resolves once `holds` does; rejects when it has not within a minute, which no test should need. Looks again after 10 ms, and ever later the
 * longer it has waited, up to 50 ms: looking costs what is waited for its time.
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const start = performance.now();
  while (!(await holds())) {
    const waited = performance.now() - start;
    if (waited > 60_000) throw new Error('What was waited for did not happen.');
    await new Promise((wake) => setTimeout(wake, Math.min(50, 10 + waited / 20)));
  }
}
