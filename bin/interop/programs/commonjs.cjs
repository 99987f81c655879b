const sdk = require('photo-service-sdk');
const node = require('photo-service-sdk/node');
const { trySdk } = require('./try-sdk.cjs');

trySdk(sdk, node, JSON.parse(process.env.GIVEN)).then((outcome) => console.log(JSON.stringify(outcome)));
