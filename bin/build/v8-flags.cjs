// Part of the built program, as compile-cache.cjs, which loads it first: code that V8 compiled under other flags is not taken.
const { setFlagsFromString } = require('node:v8');

// Pretenuring allocates what has once outlived young collections in the old generation from then on. Of a request nothing is old: its parts
// there only keep the rest of it, and through a connection's next request that one, too, until the next full collection. Nearly every request
// then outlived its young collection, which took twice as long (docs/decisions/0086).
setFlagsFromString('--no-allocation-site-pretenuring');
