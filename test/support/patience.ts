/** Real databases, processes and pictures: on a busy machine a test may take long before that means anything. */
jest.setTimeout(180_000);
