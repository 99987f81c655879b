/* @slow */
import { mediaProcessesContract } from '../contracts/media-processes.contract.js';

mediaProcessesContract('process');
