import type { PhotoService } from 'photo-service-sdk';
import type { Login } from '../login.js';

/** The JSON Schema of an object with these properties, and no others. */
export function schemaOf(properties: Readonly<Record<string, object>>, required?: string[]) {
  return { type: 'object' as const, properties, ...(required && { required }), additionalProperties: false };
}

export interface ToolContext {
  /** Refuses to wait for a rate limit: the agent would give up first. */
  readonly client: PhotoService;
  /** For work that takes minutes: it waits and retries. */
  readonly patientClient: PhotoService;
  /** Whose client this is. */
  readonly login: Login;
  /** The only folders from which files may be read. */
  readonly folders: readonly string[];
  readonly signal: AbortSignal;
  /** Tells how far the work is, to those who want to know. */
  readonly progress: (done: number, total: number) => void;
}

export interface Picture {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** Content of the library; the server marks it as such before it hands it out. */
export interface ToolResult {
  readonly data: unknown;
  readonly pictures?: readonly Picture[];
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** A key without one of these is not offered the tool. */
  readonly scopes: readonly string[];
  /** `destroys`: replaces or removes something. */
  readonly effect: 'reads' | 'adds' | 'destroys';
  /** Whether calling it again with the same input can change something again. */
  readonly addsUp?: boolean;
  readonly input: ReturnType<typeof schemaOf>;
  run(context: ToolContext, input: unknown): Promise<ToolResult>;
}

/** @param run Gets what has the form of `input`. */
export function defineTool<Input>(
  tool: Omit<Tool, 'run'> & { run(context: ToolContext, input: Input): Promise<ToolResult> },
): Tool {
  return { ...tool, run: (context, input) => tool.run(context, input as Input) };
}
