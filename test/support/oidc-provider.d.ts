declare module 'oidc-provider' {
  // biome-ignore lint/suspicious/noExplicitAny: the package brings no types; test/support/openid-server.ts says what it uses.
  export const Provider: new (issuer: string, configuration: object) => any;
}
