// The time that each parser of clients' texts takes for the worst text of its full length: the longest that reaches it. Fails above LIMIT_MS.
import '../bin/typescript.js';

const { hostileTexts, textParsers } = await import('../test/support/text-parsers.ts');

const LIMIT_MS = 10;
/** Five megabytes, which the contract allows for five hundred files at once. */
const REGISTRATION_LIMIT_MS = 100;
const SAMPLES = 5;

/** Processor time of the quickest of some calls, in milliseconds: whatever else the machine does only adds. */
function timeOf(parse, text) {
  let least = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const began = process.cpuUsage();
    parse(text);
    least = Math.min(least, process.cpuUsage(began).user / 1000);
  }
  return least;
}

const rows = textParsers.map((parser) => {
  const times = [...hostileTexts(parser, parser.length)].map((text) => ({ text, ms: timeOf(parser.parse, text) }));
  const worst = times.reduce((a, b) => (b.ms > a.ms ? b : a));
  return { parser: parser.name, length: parser.length, ms: worst.ms, text: worst.text.slice(0, 12) };
});
rows.sort((a, b) => b.ms - a.ms);

console.log('parser                                  length   worst ms  its text');
for (const { parser, length, ms, text } of rows) {
  console.log(
    `${parser.padEnd(38)} ${String(length).padStart(7)} ${ms.toFixed(3).padStart(10)}  ${JSON.stringify(text)}`,
  );
}
const limitOf = (parser) => (parser === 'JSON of a registration' ? REGISTRATION_LIMIT_MS : LIMIT_MS);
const slow = rows.filter(({ parser, ms }) => ms > limitOf(parser));
if (slow.length > 0) {
  console.error(`Over their limits: ${slow.map(({ parser }) => parser).join(', ')}.`);
  process.exitCode = 1;
}
