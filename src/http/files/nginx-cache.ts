/** A cache of nginx cannot be told to remove what it has stored. So it asks so often whether that is still valid. */
const MOST_SECONDS = 60;

/** Says it to nginx alone, which does not pass it on. @param seconds For which any cache may store the response. */
export function nginxCacheHeaders(seconds: number): Record<string, string> {
  return { 'X-Accel-Expires': String(Math.min(seconds, MOST_SECONDS)) };
}
