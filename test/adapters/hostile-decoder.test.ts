/* @rest */
import { hostileDecoderContract } from '../contracts/hostile-decoder.contract.js';

hostileDecoderContract('process');
