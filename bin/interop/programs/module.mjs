import * as sdk from 'photo-service-sdk';
import * as node from 'photo-service-sdk/node';
import { trySdk } from './try-sdk.cjs';

console.log(JSON.stringify(await trySdk(sdk, node, JSON.parse(process.env.GIVEN))));
