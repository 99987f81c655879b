import { CommanderError } from 'commander';
import { ApiError, ConnectionError, PhotoServiceError } from 'photo-service-sdk';
import { AccessError, exitCodes, PartlyDone, UsageError } from './exit-codes.js';
import type { Explanation } from './print.js';

/** The failure of a client's command in helpful words; null when it is not one of a client. */
export function explain(error: unknown): Explanation | null {
  if (error instanceof CommanderError) {
    // Commander has printed its message itself; it ends `--help` and `--version` like this, too.
    if (error.exitCode === 0) return { exitCode: exitCodes.ok, message: null, code: 'ok' };
    const message = error.message.replace(/^error: /, '');
    return { exitCode: exitCodes.usage, message, code: 'usage', isSaid: true };
  }
  if (error instanceof PartlyDone) return { exitCode: exitCodes.partial, message: null, code: 'partial' };
  if (error instanceof UsageError) return { exitCode: exitCodes.usage, message: error.message, code: 'usage' };
  if (error instanceof AccessError) return { exitCode: exitCodes.access, message: error.message, code: 'access' };
  if (error instanceof ApiError) return explainRefusal(error);
  if (error instanceof ConnectionError) {
    const message = `${error.message}\nIs the service running, and is its URL correct? Check with: phs whoami`;
    return { exitCode: exitCodes.environment, message, code: 'no_answer' };
  }
  if (error instanceof PhotoServiceError) {
    return { exitCode: exitCodes.environment, message: error.message, code: 'unexpected_answer' };
  }
  if ((error as Error | null)?.name === 'AbortError') {
    const message = 'Interrupted. Run the same command again to continue.';
    return { exitCode: exitCodes.interrupted, message, code: 'stopped' };
  }
  return null;
}

function explainRefusal(error: ApiError): Explanation {
  const { status, code, requestId, missingScope: scope } = error;
  const explained = (exitCode: number, message = error.message) => {
    return { exitCode, message, code, ...(requestId !== null && { requestId }) };
  };
  if (scope !== null)
    return explained(
      exitCodes.access,
      `This key does not have the scope ${scope}. The scopes of a key never change: create another key that includes ${scope}
(in the settings area, or with phs key create on the server), then: phs login --url URL --token TOKEN`,
    );
  if (status === 401)
    return explained(
      exitCodes.access,
      `The service does not accept this key: it was deleted, has expired, or is mistyped.
Get another key, then: phs login --url URL --token TOKEN`,
    );
  if (status === 403 && code !== 'quota_exceeded') return explained(exitCodes.access);
  if (status < 500 && status !== 429) return explained(exitCodes.usage);
  return explained(exitCodes.environment, requestId === null ? undefined : `${error.message} (request ${requestId})`);
}
