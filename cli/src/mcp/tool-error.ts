import { ApiError, ConnectionError, PhotoServiceError } from 'photo-service-sdk';
import { UsageError } from '../exit-codes.js';
import { plain } from '../print.js';
import type { CallToolResult } from './protocol.js';

/** A failure as the agent reads it: what the API said, so that it can do something about it. */
export function toolError(error: unknown): CallToolResult {
  const text = JSON.stringify({ error: problemOf(error) }, (_, value) =>
    typeof value === 'string' ? plain(value) : value,
  );
  return { isError: true, content: [{ type: 'text', text }] };
}

/** @throws error itself where it is a fault of this program, or the end of a call that was cancelled. */
function problemOf(error: unknown): object {
  if (error instanceof ApiError) {
    const { code, message, details, requestId, retryAfter } = error;
    return { code, message, details, requestId, ...(retryAfter !== null && { retryAfter }) };
  }
  if (error instanceof UsageError) return { code: 'invalid_input', message: error.message };
  if (error instanceof ConnectionError) return { code: 'no_answer', message: error.message };
  if (error instanceof PhotoServiceError) return { code: 'unexpected_answer', message: error.message };
  throw error;
}
