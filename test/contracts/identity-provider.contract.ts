import type { IdentityProvider, ProviderRequest } from '../../src/core/users/identity-provider.js';
import { sampleHash } from '../support/samples.js';

export interface OpenProvider {
  readonly provider: IdentityProvider;
  /** What comes back from this address once the person with this name and address has signed in there. */
  signIn(address: string, subject: string, email: string): Promise<string>;
  setAway(isAway: boolean): Promise<void>;
  close(): Promise<void>;
}

export const RETURN_TO = 'http://photos.test/settings/sign-in/with/keycloak/answer';

/** What `IdentityProvider` promises. */
export function identityProviderContract(name: string, open: () => Promise<OpenProvider>): void {
  describe(`IdentityProvider: ${name}`, () => {
    let opened: OpenProvider;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const newRequest = (values: Partial<ProviderRequest> = {}): ProviderRequest => {
      const [state, nonce, verifier] = [sampleHash(), sampleHash(), sampleHash()];
      return { state, nonce, verifier, returnTo: RETURN_TO, isFresh: false, ...values };
    };
    const signIn = async (request: ProviderRequest, subject = 'anna-1') =>
      opened.signIn(await opened.provider.start(request), subject, `${subject}@example.com`);
    const refused = (reason: string) => ({ code: 'unauthorized', details: { reason } });

    it('identifies the person who signed in by a stable subject', async () => {
      const names = [];
      for (const isFresh of [false, true]) {
        const request = newRequest({ isFresh });
        const assertion = await opened.provider.finish(await signIn(request), request);
        expect(assertion).toMatchObject({ email: 'anna-1@example.com', isEmailVerified: true, groups: [] });
        names.push([assertion.issuer, assertion.subject]);
      }
      expect(names[0]).toEqual([opened.provider.settings.issuer, 'anna-1']);
      expect(names[1]).toEqual(names[0]);
    });

    it('sends people back where the request says, with its state and none of its secrets', async () => {
      const request = newRequest();
      const address = await opened.provider.start(request);
      expect(address.startsWith(opened.provider.settings.issuer)).toBe(true);
      expect(address).not.toContain(request.verifier);
      const answer = await opened.signIn(address, 'anna-1', 'anna@example.com');
      expect(answer.startsWith(`${RETURN_TO}?`)).toBe(true);
      expect(new URL(answer).searchParams.get('state')).toBe(request.state);
    });

    it('accepts an answer once', async () => {
      const request = newRequest();
      const answer = await signIn(request);
      await opened.provider.finish(answer, request);
      await expect(opened.provider.finish(answer, request)).rejects.toMatchObject(refused('invalid_answer'));
    });

    it('refuses the answer to another request', async () => {
      for (const name of ['state', 'nonce', 'verifier'] as const) {
        const request = newRequest();
        const answer = await signIn(request);
        const other = { ...request, [name]: sampleHash() };
        await expect(opened.provider.finish(answer, other)).rejects.toMatchObject(refused('invalid_answer'));
      }
    });

    it('refuses an answer in the name of another issuer', async () => {
      const request = newRequest();
      const answer = new URL(await signIn(request));
      answer.searchParams.set('iss', 'https://attacker.example.com');
      await expect(opened.provider.finish(answer.href, request)).rejects.toMatchObject(refused('invalid_answer'));
    });

    it('refuses an answer that says that no person signed in', async () => {
      const request = newRequest();
      const { state } = request;
      const answer = `${RETURN_TO}?${new URLSearchParams({ error: 'access_denied', state, iss: opened.provider.settings.issuer })}`;
      await expect(opened.provider.finish(answer, request)).rejects.toMatchObject(refused('declined'));
    });

    it('offers a sign-out that leads back', async () => {
      const address = new URL((await opened.provider.signOutAddress('http://photos.test/settings/sign-in')) ?? '');
      expect(address.href.startsWith(opened.provider.settings.issuer)).toBe(true);
      expect(address.searchParams.get('post_logout_redirect_uri')).toBe('http://photos.test/settings/sign-in');
    });

    it('is unavailable while it cannot be reached, and works again after that', async () => {
      const request = newRequest();
      const answer = await signIn(request);
      await opened.setAway(true);
      await expect(opened.provider.finish(answer, request)).rejects.toMatchObject({ code: 'service_unavailable' });
      await opened.setAway(false);
      const again = newRequest();
      expect(await opened.provider.finish(await signIn(again), again)).toMatchObject({ subject: 'anna-1' });
    });
  });
}
