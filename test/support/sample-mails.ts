import type { Mail, MailTemplate } from '../../src/core/mail/mail.js';

const account = { account: 'Studio North', timeZone: 'Europe/Paris' };
const link = {
  ...account,
  link: 'https://photos.example.com/settings/enter/Zm9yIHRoZSB0ZXN0cyBvbmx5LCBvZiBjb3Vyc2UhISEh',
  expiresAt: '2026-12-01T09:30:00.000Z',
};
const notice = {
  ...account,
  at: '2026-11-24T09:30:00.000Z',
  source: '192.0.2.7',
  country: 'GB',
  browser: 'Firefox on Linux',
  owners: ['olga@example.com', 'otto@example.com'],
  home: 'https://photos.example.com/settings/sign-in',
};
const person = { ...notice, hasPassword: true };
const to = { userId: 7, address: 'anna@example.com' };
const email = 'anna@new.example';

/** One of each. */
export const sampleMails: { readonly [T in MailTemplate]: Extract<Mail, { readonly template: T }> } = {
  invitation: { to, template: 'invitation', values: { ...link, role: 'editor', invitedBy: 'olga@example.com' } },
  new_link: { to, template: 'new_link', values: link },
  recovery: { to, template: 'recovery', values: { ...link, source: '192.0.2.7' } },
  email_confirmation: { to, template: 'email_confirmation', values: { ...link, email } },
  email_change_requested: { to, template: 'email_change_requested', values: { ...person, email } },
  email_changed: { to, template: 'email_changed', values: { ...person, email } },
  password_changed: { to, template: 'password_changed', values: person },
  new_sign_in: { to, template: 'new_sign_in', values: person },
  api_key_created: { to, template: 'api_key_created', values: { ...notice, name: 'Importer' } },
  factor_added: { to, template: 'factor_added', values: { ...person, name: 'Phone' } },
  test: {
    to,
    template: 'test',
    values: {
      at: '2026-11-24T09:30:00.000Z',
      home: 'https://photos.example.com/settings',
    },
  },
  factor_removed: { to, template: 'factor_removed', values: { ...person, owners: [], browser: null } },
  recovery_codes_created: { to, template: 'recovery_codes_created', values: person },
};
