/** Says where IP addresses are used, without asking anybody. */
export interface IpCountries {
  /**
   * The country that an address is registered in (ISO 3166-1 alpha-2); where it is used may be another. Null if no country is known, as of
   * loopback and private addresses, and of anything that is not an address.
   */
  countryOf(address: string): Promise<string | null>;
}
