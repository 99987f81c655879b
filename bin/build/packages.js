/** Packages with compiled parts, with files that are read, or with words that are rarely needed. The bundle loads them from node_modules. */
export const installed = [
  'sharp',
  '@node-rs/argon2',
  'libheif-js',
  'thumbhash',
  '@noble/hashes',
  '@fontsource-variable/inter',
  '@zxcvbn-ts/language-common',
];

/**
 * Packages that only some installations use, or only some requests. They are for development only: what runs of them is in the bundle, and
 * they would be a third of what is installed.
 */
export const onlyBundled = [
  '@aws-sdk/client-s3',
  '@aws-sdk/s3-request-presigner',
  '@modelcontextprotocol/sdk',
  '@nestjs/swagger',
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/sdk-trace-node',
  '@rapideditor/country-coder',
  '@roniemartinez/iptocc',
  '@simplewebauthn/server',
  'age-encryption',
  // The SDK above loads these two.
  'ajv',
  'ajv-formats',
  'geokdbush',
  'kdbush',
  'nodemailer',
  'openid-client',
  'pino-pretty',
  'prom-client',
  'redis',
  'uqr',
  'yazl',
];
