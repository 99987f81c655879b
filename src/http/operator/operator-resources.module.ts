import { Module } from '@nestjs/common';
import { OperatorCustomerStatusController } from './customers/operator-customer-status.controller.js';
import { OperatorCustomersController } from './customers/operator-customers.controller.js';
import { OperatorKeysController } from './keys/operator-keys.controller.js';
import { OperatorPeopleController } from './people/operator-people.controller.js';
import { OperatorUsageController } from './usage/operator-usage.controller.js';
import { OperatorWebhooksController } from './webhooks/operator-webhooks.controller.js';

/** The resources of the operator API. Its OpenAPI document has what their controllers declare, in this order. */
@Module({
  controllers: [
    OperatorCustomersController,
    OperatorCustomerStatusController,
    OperatorKeysController,
    OperatorPeopleController,
    OperatorWebhooksController,
    OperatorUsageController,
  ],
})
export class OperatorResourcesModule {}
