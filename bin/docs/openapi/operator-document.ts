import { operatorHeaders } from '../../../src/api/openapi/headers.js';
import { operatorIdempotencyKey } from '../../../src/api/openapi/parameters.js';
import { OperatorResourcesModule } from '../../../src/api/operator/operator.module.js';
import { operatorBudgets, operatorScopeMeanings } from '../../../src/core/operators/operator-token.js';
import { type DocumentedApi, documentOf, documentText } from './document.js';

/** The contract of the operator API. */
export function operatorOpenApiDocument(version: string) {
  return documentOf(operatorApi, version);
}

export function operatorOpenApiText(version: string): string {
  const { webhooks: _, ...document } = operatorOpenApiDocument(version);
  return documentText(document);
}

/** The rules for every operation of the operator API, once. */
const operatorIntroduction = `For programs of the operator, such as the backend of a sign-up page. It exists if the setting \`OPERATOR_API\` is \`on\`. The guide is at [/docs/guides/operator-api](/docs/guides/operator-api).

**Authentication.** Every request must carry \`Authorization: Bearer <operator token>\`. A token acts in the accounts of all customers: keep it on a server. API keys of customers are refused here, and operator tokens under \`/api/v1\`.

**Conventions** are those of \`/api/v1\`: JSON, errors, pagination, \`Idempotency-Key\`, ETags, and the order of checks. A suspended account can be administered. Lists without \`limit\` and \`cursor\` have one page.

**Rate limits.** A token may send ${operatorBudgets.read} reads and ${operatorBudgets.write} writes in any 60 seconds.

**Audit log.** Every change is recorded in the audit log of the account, with the name of the token and the address it was sent from.`;

const operatorApi: DocumentedApi = {
  info: {
    title: 'Photo Service, operator API',
    summary: 'Administration of the accounts of an installation, for programs of its operator.',
    description: operatorIntroduction,
  },
  module: OperatorResourcesModule,
  idempotencyKey: operatorIdempotencyKey,
  security: {
    name: 'operatorToken',
    format: 'phs_op_ and 43 letters and digits',
    description:
      '`Authorization: Bearer <operator token>`, created by `phs operator-token create`. The scopes of a token never change:',
  },
  scopes: operatorScopeMeanings,
  headers: operatorHeaders,
  writesOfSuspended: true,
  webhooks: null,
};
