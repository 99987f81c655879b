import { operatorBudgets } from '../../core/operators/operator-token.js';

/** What holds for every operation of the operator API, once. */
export const operatorIntroduction = `For programs of the operator, such as the backend of a sign-up page. It exists if the setting \`OPERATOR_API\` is \`on\`. The guide is at [/docs/guides/operator-api](/docs/guides/operator-api).

**Authentication.** Every request must carry \`Authorization: Bearer <operator token>\`. A token acts in the accounts of all customers: keep it on a server. API keys of customers are refused here, and operator tokens under \`/api/v1\`.

**Conventions** are those of \`/api/v1\`: JSON, errors, pagination, \`Idempotency-Key\`, ETags, and the order of checks. A suspended account can be administered. Lists without \`limit\` and \`cursor\` have one page.

**Rate limits.** A token may send ${operatorBudgets.read} reads and ${operatorBudgets.write} writes in any 60 seconds.

**Audit log.** Every change is recorded in the audit log of the account, with the name of the token and the address it was sent from.`;
