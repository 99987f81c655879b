import { captureMoment } from '../../../../cli/src/sources/time-and-place.js';

const at = (text: string) => Date.parse(text) / 1000;
const file = (clock: string | null = null, offset: string | null = null) => ({ clock, offset });

it.each([
  [
    'a file that says it all keeps the last word',
    '2024-12-21T22:39:24Z',
    file('2024-12-21T23:39:24', '+01:00'),
    null,
    null,
  ],
  ['a clock that was taken for UTC', '2024-12-21T23:39:24Z', file('2024-12-21T23:39:24', '+01:00'), null, null],
  [
    'a clock that was taken for UTC, without an offset',
    '2024-12-21T23:39:24Z',
    file('2024-12-21T23:39:24'),
    null,
    null,
  ],
  ['no instant', null, file('2024-12-21T23:39:24'), 'Europe/Paris', null],
  [
    'a time that was corrected keeps the offset of the file',
    '2023-05-01T10:00:00Z',
    file('2000-01-01T00:00:00', '+02:00'),
    null,
    { takenAt: '2023-05-01T12:00:00+02:00', isZoneKnown: true },
  ],
  [
    'the offset follows from clock and instant',
    '2024-12-21T17:54:24Z',
    file('2024-12-21T23:39:24'),
    null,
    { local: '2024-12-21T23:39:24', timeZone: '+05:45' },
  ],
  [
    'a corrected time without an offset is in the zone of the place',
    '2023-05-01T10:00:07Z',
    file('2000-01-01T00:00:00'),
    'Europe/Paris',
    { local: '2023-05-01T12:00:07', timeZone: 'Europe/Paris' },
  ],
  [
    'a file that says nothing is in the zone of the place',
    '2024-07-01T22:30:00Z',
    file(),
    'America/New_York',
    { local: '2024-07-01T18:30:00', timeZone: 'America/New_York' },
  ],
  [
    'nothing is known but the instant',
    '2024-07-01T22:30:00Z',
    file(),
    null,
    { takenAt: '2024-07-01T22:30:00+00:00', isZoneKnown: false },
  ],
  [
    'before 1970',
    '1969-07-20T20:17:40Z',
    file(),
    'America/Chicago',
    { local: '1969-07-20T15:17:40', timeZone: 'America/Chicago' },
  ],
])('%s', (_, instant, facts, zone, moment) => {
  expect(captureMoment(instant === null ? null : at(instant), facts, zone)).toEqual(moment);
});
