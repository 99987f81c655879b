import { CommanderError } from 'commander';
import { ApiError, ConnectionError, PhotoServiceError } from 'photo-service-sdk';
import { AccessError, exitCodes, PartlyDone, UsageError } from './exit-codes.js';
import { plain } from './print.js';

/** The message for a person about a failure, and the exit code of the command. */
export interface Explanation {
  readonly exitCode: number;
  /** Null: everything has been printed. */
  readonly message: string | null;
  /** The code of the service, or one of ours, for example `usage` and `no_answer`. */
  readonly code: string;
  /** Whether it has been printed to stderr already. */
  readonly isSaid?: boolean;
  readonly requestId?: string;
}

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

/** On stderr for people; with `--json` on stdout too, as the one document. */
export function tell({ exitCode, message, isSaid, ...rest }: Explanation, args: readonly string[]): number {
  if (message === null) return exitCode;
  if (!isSaid) console.error(`phs: ${message.split('\n').map(plain).join('\n')}`);
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify({ error: { ...rest, message } })}\n`);
  return exitCode;
}
