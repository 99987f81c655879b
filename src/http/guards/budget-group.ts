/** The group in which a request with a key is counted. */
export function budgetGroupOf(method: string): 'read' | 'write' {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'read' : 'write';
}
