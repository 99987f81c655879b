import type { Budget } from '../access/rolling-window.js';
import type { AuditLog } from '../audit/audit-log.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { base62, randomNumber } from '../shared/random.js';

/** The permissions that a token of the operator can have, in the accounts of all customers. */
export const operatorScopeMeanings = {
  'customers:read': 'read accounts, their usage, keys, people and webhooks',
  'customers:write': 'create, change, suspend, resume and erase accounts, and manage their webhooks',
  'keys:write': 'create, change and delete API keys of accounts',
  'people:write': 'invite people to accounts and remove them',
} as const;
export type OperatorScope = keyof typeof operatorScopeMeanings;

export const operatorScopes = Object.keys(operatorScopeMeanings) as readonly OperatorScope[];

/** A program of the operator, such as the backend of a sign-up page. It belongs to no customer. */
export interface OperatorToken {
  readonly id: Id;
  readonly name: string;
  /** SHA-256 of the token, 64 hex digits. The token itself is never stored. */
  readonly tokenHash: string;
  readonly lastFour: string;
  /** They never change. */
  readonly scopes: readonly OperatorScope[];
  /** Normalised CIDR ranges; empty admits every address. */
  readonly ipList: readonly string[];
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  /** Deleted tokens are retained, without effect: they record who had access, and until when. */
  readonly deletedAt: Date | null;
}

export const operatorTokenSettings = ['name', 'ipList', 'expiresAt'] as const;

/** The settings that may change. */
export type OperatorTokenSettings = Pick<OperatorToken, (typeof operatorTokenSettings)[number]>;

export type NewOperatorToken = Omit<OperatorToken, 'id' | 'deletedAt'>;

/** Tokens that are not deleted. */
export const MAX_OPERATOR_TOKENS = 100;

const PREFIX = 'phs_op_';
const SECRET_LENGTH = 43;

/** `phs_op_` + 256 random bits in 43 base62 characters. */
export function newOperatorToken(): string {
  return PREFIX + base62(randomNumber(32), SECRET_LENGTH);
}

export function isWellFormedOperatorToken(text: string): boolean {
  return /^phs_op_[0-9A-Za-z]{43}$/.test(text);
}

/** Returns what people see of a token after its creation. */
export function operatorTokenPrefix({ lastFour }: Pick<OperatorToken, 'lastFour'>): string {
  return `${PREFIX}…${lastFour}`;
}

export function requireOperatorScope({ scopes }: Pick<OperatorToken, 'scopes'>, scope: OperatorScope): void {
  if (scopes.includes(scope)) return;
  const message = `This request requires an operator token with the scope ${scope}.`;
  throw new DomainError('scope_required', message, { scope });
}

/** Requests per minute of one token: a person who signs up costs several writes. */
export const operatorBudgets = { read: 300, write: 300 } as const;

export function operatorBudget({ id }: Pick<OperatorToken, 'id'>, group: 'read' | 'write'): Budget {
  return { name: `operator-${group}:${id}`, limit: operatorBudgets[group] };
}

/** The tokens of the operator. */
export interface OperatorTokenStore {
  /**
   * The token with this hash; null when it never existed or is deleted. Expired tokens are returned: the caller checks. Once a deletion is
   * committed, no look-up on any process finds the token.
   */
  findByHash(tokenHash: string): Promise<OperatorToken | null>;
  /** Every token, those that were deleted included, oldest first. */
  list(): Promise<readonly OperatorToken[]>;
  /**
   * All or nothing, and one after the other: no token changes while `work` runs. As in `Transactional`, it may be run again from its
   * beginning.
   */
  transaction<T>(work: (tokens: OperatorTokenRepository) => Promise<T>): Promise<T>;
}

/** The tokens inside a transaction, and the operator's log, which records their changes. */
export interface OperatorTokenRepository extends Pick<OperatorTokenStore, 'list'>, Pick<AuditLog, 'addOperatorEntry'> {
  /** Stores a token under a new id. */
  insert(token: NewOperatorToken): Promise<OperatorToken>;
  /** Stores every field, with immediate effect on every process. */
  update(token: OperatorToken): Promise<void>;
}
