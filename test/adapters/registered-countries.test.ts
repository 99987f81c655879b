import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeCountries } from '../../bin/build/datasets.js';
import { RegisteredCountries } from '../../src/adapters/countries/registered-countries.js';
import { ipCountriesContract } from '../contracts/ip-countries.contract.js';

describe('countries by the registries of IP addresses', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countries-'));
  const open = () => new RegisteredCountries(pathToFileURL(`${folder}/`));
  beforeAll(() => writeCountries(folder));
  afterAll(() => rmSync(folder, { recursive: true }));

  ipCountriesContract(open);

  it('has addresses of each registry', async () => {
    const addresses = ['102.130.122.1', '1.0.16.1', '8.8.8.8', '200.160.2.3', '81.2.69.142'];
    const countries = open();
    const answers = await Promise.all(addresses.map((address) => countries.countryOf(address)));
    expect(answers).toEqual(['ZA', 'JP', 'US', 'BR', 'GB']);
  });

  it('reads its file again when it could not the first time', async () => {
    const away = `${folder}-away`;
    renameSync(folder, away);
    const countries = open();
    await expect(countries.countryOf('81.2.69.142')).rejects.toThrow('ENOENT');
    renameSync(away, folder);
    expect(await countries.countryOf('81.2.69.142')).toBe('GB');
  });

  it('comes with the licences of both, the reader and the data', () => {
    const licence = readFileSync(join(folder, 'licence.txt'), 'utf8');
    expect(licence).toMatch(/Number Resource Organization.*CC BY 4\.0.*MIT License/s);
  });
});
