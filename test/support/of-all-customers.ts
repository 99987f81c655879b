/** Statements that are about more than one customer, by what makes them known, with the reason. Everything else is confined to one. */
const allowed: readonly (readonly [why: string, ...forms: readonly RegExp[]])[] = [
  [
    'the operator lists customers, and the first start asks whether there is one',
    /^SELECT "customer"\."id" AS "customer_id", .* FROM "customers" "customer" ORDER BY /,
    /^SELECT "customer"\."id" AS "customer_id", .* FROM "customers" "customer" WHERE \(\("customer"\."id" > \$1\)\) ORDER BY "customer"\."id" ASC LIMIT \d+$/,
    /^SELECT 1 AS "row_exists" .* EXISTS \(SELECT 1 FROM "customers" "customer"\)/,
  ],
  [
    'who has something due, a window of customers at a time',
    /^SELECT DISTINCT customer_id AS id FROM "\w+" WHERE customer_id > \$1 .*ORDER BY id LIMIT \$2$/,
    /^SELECT "customer"\."id" AS "customer_id" FROM "customers" "customer" WHERE .*"status" = \$1.*"id" > \$3.* LIMIT \d+$/,
  ],
  [
    'a key says whose it is, not the other way round; its number is unique',
    /^SELECT k\.customer_id .* FROM api_keys k JOIN customers c ON c\.id = k\.customer_id WHERE k\.(token_hash|id) = ANY\(ARRAY\(SELECT unnest\(\$1::(text|bigint)\[\]\)\)\) /,
  ],
  [
    'an address of a picture names a delivery key, and the key says whose it is',
    /^SELECT k\.customer_id .* FROM delivery_keys k JOIN customers c ON c\.id = k\.customer_id WHERE k\.public_id = ANY\(ARRAY\(SELECT unnest\(\$1::text\[\]\)\)\)$/,
  ],
  [
    'a visitor has the token of a share, and the share says whose it is',
    /^SELECT k\.customer_id .* FROM shares k JOIN customers c ON c\.id = k\.customer_id WHERE k\.token_hash = ANY\(ARRAY\(SELECT unnest\(\$1::text\[\]\)\)\)$/,
  ],
  [
    'uses of keys are written down together, whose ever they are',
    /^UPDATE api_keys k SET last_used_at = newest\.last_used_at, /,
    /^INSERT INTO key_addresses AS kept \(customer_id, key_id, .* JOIN api_keys k ON k\.id = used\.id /,
    /^DELETE FROM key_addresses a USING api_keys k WHERE k\.id = ANY\(\$1::bigint\[\]\) /,
  ],
  [
    'who signs in is known by the address, the link, the name at a provider, or the cookie',
    /^SELECT u\.customer_id .* FROM users u JOIN customers c ON c\.id = u\.customer_id WHERE u\.(email|link_hash) = \$1 /,
    /^SELECT u\.customer_id .* FROM users u JOIN customers c ON c\.id = u\.customer_id JOIN identities i ON .* WHERE i\.issuer = \$1 AND i\.subject = \$2 /,
    /^SELECT s\.customer_id .* FROM sessions s JOIN customers c ON c\.id = s\.customer_id WHERE s\.token_hash = \$1$/,
    /^UPDATE sessions SET data = \$2 WHERE token_hash = \$1$/,
    /^UPDATE "sessions" SET .* WHERE "token_hash" = \$[23]$/,
    /^DELETE FROM "sessions" WHERE "token_hash" = \$1$/,
  ],
  [
    'the next job, delivery or fetch of whoever waited longest, and jobs and idempotency keys of processes that died',
    /^WITH RECURSIVE waiting AS \( \(SELECT customer_id, turn FROM job_queue WHERE pool = '\w+' AND dead_at IS NULL /,
    /^WITH holders AS \( SELECT DISTINCT held_by FROM (job_queue|idempotency_keys) /,
  ],
  [
    'what is old enough is forgotten',
    /^WITH old AS MATERIALIZED \( SELECT customer_id, \w+ FROM (idempotency_keys|webhook_deliveries) WHERE (started|created)_at < \$1 /,
    /^DELETE FROM "sessions" WHERE \("last_seen_at" < \$1 OR "started_at" < \$2\)$/,
    /^SELECT at, action, customer_id AS "customerId", .* FROM operator_entries .* UNION ALL .* FROM audit_entries WHERE actor_kind = 'operator' AND /,
    /^DELETE FROM audit_entries WHERE .* WHERE at < \$1 /,
    /^DELETE FROM "(request_(counts|hours|failures)|(picture|transfer)_counts|storage_days)" WHERE "(day|at)" < \$1$/,
  ],
  [
    'what the renditions of each customer take, and what is stored, is counted for all of them',
    /^INSERT INTO storage_days \(customer_id, .* FROM customers c LEFT JOIN .* FOR KEY SHARE OF c ON CONFLICT /,
    /^DELETE FROM rendition_totals WHERE customer_id <> ALL \(\$1::bigint\[\]\)$/,
  ],
];

export const ofAllCustomers: readonly RegExp[] = allowed.flatMap(([, ...forms]) => forms);

/** As the forms above expect it: on one line. */
export function onOneLine(sql: string): string {
  return sql.replace(/\s+/g, ' ').trim();
}
