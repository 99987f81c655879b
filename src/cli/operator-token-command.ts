import { Command } from 'commander';
import { print, tableOf } from 'photo-service-cli/print';
import { commandLine } from '../core/audit/audit-entry.js';
import {
  deleteOperatorToken,
  editOperatorToken,
  issueOperatorToken,
  type OperatorToken,
  operatorScopes,
  operatorTokenPrefix,
} from '../core/operators/operator-token.js';
import type { Id } from '../core/shared/ids.js';
import { countOption, idOption, instantOption, listOption, wordOr } from './options.js';
import { type AccessOptions, accessChanges, pick, secretLines } from './resource-commands.js';
import { withPorts } from './with-ports.js';

export function operatorTokenCommand(): Command {
  const tokens = new Command('operator-token').description(
    'manage the tokens of the operator API, which administers all customers',
  );

  tokens
    .command('create')
    .description('create a token; it is shown only once')
    .requiredOption('--name <name>', 'the program that will use the token')
    .requiredOption('--scopes <list>', `all, or some of ${operatorScopes.join(',')}`, listOption)
    .option('--ip <cidr>', 'allow only this address or range (repeatable)', listOption)
    .option('--expires-at <time>', 'for example 2027-01-31T00:00:00Z (default: never)', instantOption)
    .action(async ({ name, scopes, ip = [], expiresAt, ...options }: CreateOptions) => {
      const { operatorToken, token } = await withPorts((ports) =>
        issueOperatorToken(ports, commandLine, { name, scopes, ipList: ip, expiresAt: expiresAt ?? null }),
      );
      print(options, { ...tokenJson(operatorToken), token }, [
        `Operator token ${operatorToken.id} "${operatorToken.name}": ${operatorToken.scopes.join(', ')}`,
        ...secretLines('The token', token),
      ]);
    });

  tokens
    .command('edit')
    .description('change a token with immediate effect; its scopes never change')
    .argument('<id>', 'the id of the token', idOption)
    .option('--name <name>', 'the program that uses the token')
    .option('--ip <cidr>', 'allow only these addresses or ranges (repeatable)', listOption)
    .option('--no-ip', 'allow every address')
    .option('--expires-at <time>', 'for example 2027-01-31T00:00:00Z, or never', wordOr('never', instantOption))
    .action(async (id: Id, options: AccessOptions & { json?: boolean }) => {
      const token = await withPorts((ports) => editOperatorToken(ports, commandLine, id, accessChanges(options)));
      print(options, tokenJson(token), [`Operator token ${token.id} "${token.name}" changed.`]);
    });

  tokens
    .command('list')
    .description('list the tokens, including deleted ones')
    .action(async (options: { json?: boolean }) => {
      const tokens = await withPorts(({ operatorTokens }) => operatorTokens.list());
      const lines = tableOf(tokens, {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        TOKEN: operatorTokenPrefix,
        SCOPES: ({ scopes }) => scopes.join(','),
        FROM: ({ ipList }) => ipList.join(',') || 'any address',
        EXPIRES: ({ expiresAt }) => expiresAt ?? 'never',
        CREATED: ({ createdAt }) => createdAt,
        DELETED: ({ deletedAt }) => deletedAt,
      });
      print(options, { operatorTokens: tokens.map(tokenJson) }, lines);
    });

  tokens
    .command('log')
    .description(
      'show who created, changed and deleted tokens, what these changed in accounts, and which accounts were erased',
    )
    .option('--token <id>', 'only what this token did, and what was done to it', idOption)
    .option('--until <time>', 'only what was done before this time, for example 2027-01-31T00:00:00Z', instantOption)
    .option('--limit <number>', 'how many entries, the newest first', countOption, 100)
    .action(async ({ token, until, limit, ...options }: LogOptions) => {
      const window = { tokenId: token ?? null, until: until ?? null, limit };
      const entries = await withPorts(({ auditLog }) => auditLog.operatorEntries(window));
      const lines = tableOf(entries, {
        AT: ({ at }) => at,
        BY: ({ actorKind, actorId, actorName }) =>
          actorKind === 'operator' ? `token ${actorId} "${actorName}"` : actorKind.replace('_', ' '),
        FROM: ({ address }) => address,
        ACTION: ({ action }) => action,
        CUSTOMER: ({ customerId }) => customerId,
        SUBJECT: ({ subjectId, subjectName }) =>
          [subjectId, subjectName && `"${subjectName}"`].filter((part) => part !== null).join(' '),
        CHANGES: ({ changes }) => changes.join(','),
      });
      print(options, { entries }, lines);
    });

  tokens
    .command('delete')
    .description('delete a token; it is refused immediately')
    .argument('<id>', 'the id of the token', idOption)
    .action(async (id: Id, options: { json?: boolean }) => {
      await withPorts((ports) => deleteOperatorToken(ports, commandLine, id));
      print(options, { id, deleted: true }, [`Operator token ${id} deleted.`]);
    });

  return tokens;
}

interface CreateOptions {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly ip?: readonly string[];
  readonly expiresAt?: Date;
  readonly json?: boolean;
}

interface LogOptions {
  readonly token?: Id;
  readonly until?: Date;
  readonly limit: number;
  readonly json?: boolean;
}

function tokenJson(token: OperatorToken) {
  return {
    ...pick(token, 'id', 'name'),
    prefix: operatorTokenPrefix(token),
    ...pick(token, 'scopes', 'ipList', 'expiresAt', 'createdAt', 'deletedAt'),
  };
}
