// Part of the built program, as load.cjs, which loads it first: code that V8 compiled under other flags is not taken.
const { setFlagsFromString } = require('node:v8');

// Pretenuring allocates what has once outlived young collections in the old generation from then on. Of a request nothing is old: its parts
// there only kept others alive until the next full collection. Many times more then outlived a young collection (bench/measurements.md).
setFlagsFromString('--no-allocation-site-pretenuring');
