/** Tables that belong to no customer, and have no policy therefore; everything else belongs to customers. */
export const tablesOfNobody = {
  customer_creations: 'which request of the operator created which customer',
  erasures: 'of customers that do not exist any more',
  migrations: 'says what the schema is',
  operator_entries: 'what was done to their tokens, and which customers were erased',
  operator_tokens: 'they act for the operator, in the accounts of all customers',
  rate_window: 'its names are those of keys and addresses, and no customer can be told from them',
};

/** Tables whose rows have no `customer_id`: those of nobody, and the customers themselves, who have a policy. */
export const withoutCustomerId = ['customers', ...Object.keys(tablesOfNobody)].sort();
