import { hostileDecoderContract } from '../contracts/hostile-decoder.contract.js';
import { program } from './support/programs.js';

beforeAll(() => {
  program('bwrap', 'bubblewrap');
  program('setpriv', 'util-linux');
  program('prlimit', 'util-linux');
  if (process.geteuid?.() !== 0) throw new Error('The level "user" can only be tested by root.');
});

describe('in a sandbox', () => hostileDecoderContract('sandbox'));
describe('under another account', () => hostileDecoderContract('user'));
