import type { Session } from '../../../core/users/session.js';
import type { User } from '../../../core/users/user.js';
import {
  bigWhole,
  document,
  generatedKey,
  instant,
  key,
  optionalInstant,
  optionalText,
  tableOf,
  text,
  yesOrNo,
} from '../database/columns.js';

export const userTable = tableOf<User>('user', 'users', {
  customerId: key,
  id: generatedKey,
  email: optionalText,
  role: text,
  passwordHash: optionalText,
  linkHash: optionalText,
  linkExpiresAt: optionalInstant,
  linkDropsFactors: yesOrNo,
  createdAt: instant,
  joinedAt: optionalInstant,
  lastSignInAt: optionalInstant,
});

export const sessionTable = tableOf<Session>('session', 'sessions', {
  customerId: key,
  id: generatedKey,
  userId: bigWhole,
  tokenHash: text,
  data: document,
  startedAt: instant,
  lastSeenAt: instant,
  address: text,
  browser: text,
  byLink: yesOrNo,
  confirmedAt: instant,
});
