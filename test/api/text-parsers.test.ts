/* @rest */
import { hostileTexts, type TextParser, textParsers } from '../support/text-parsers.js';

/**
 * In UTF-16 units: far beyond what most of them are given, so that a square shows at either length. Only at one of them a text or its parts may
 * outgrow a cache, or a page of the heap.
 */
const LENGTHS = [4000, 1000];
const SAMPLES = 9;
/** A square takes sixteen times as long. */
const MOST = 6;
/** Enough for the clock of the processor. */
const SAMPLE_MS = 2;

/** Milliseconds of the processor for so many calls: on a busy machine the longer text would wait for it more often. */
function timeOf({ parse }: TextParser, text: string, calls: number): number {
  const began = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) parse(text);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

/** The texts of both lengths that take longest, by one call each. */
function worst(parser: TextParser, length: number): readonly [short: string, long: string] {
  const texts = [...hostileTexts(parser, 4 * length)];
  const times = texts.map((text) => Math.min(timeOf(parser, text, 1), timeOf(parser, text, 1)));
  const at = times.indexOf(Math.max(...times));
  return [[...hostileTexts(parser, length)][at] ?? '', texts[at] ?? ''];
}

/** How many times as long the longer text takes: the quickest sample of each, taken in turn, since whatever else runs only adds. */
function growth(parser: TextParser, length: number): number {
  const [short, long] = worst(parser, length);
  let calls = 1;
  while (timeOf(parser, short, calls) < SAMPLE_MS) calls *= 2;
  const samples = Array.from({ length: SAMPLES }, () => [timeOf(parser, short, calls), timeOf(parser, long, calls)]);
  return Math.min(...samples.map(([, time = 0]) => time)) / Math.min(...samples.map(([time = 0]) => time));
}

test.each(textParsers.map((parser) => [parser.name, parser] as const))(
  'the parser of %s takes at most six times as long for four times the text',
  (_, parser) => {
    let least = Number.POSITIVE_INFINITY;
    // A square stays one. A machine that was busy in all samples of one length is not busy in the same way each time.
    for (let again = 0; least >= MOST && again < 8; again += 1) {
      least = Math.min(least, growth(parser, LENGTHS[again % 2] ?? 0));
    }
    expect(least).toBeLessThan(MOST);
  },
);
