import { countryName } from '../../../core/photos/places.js';
import { browserName } from '../../../core/users/notify-person.js';
import type { ListedSession } from '../../../core/users/session.js';
import { Button, Form } from '../form.js';
import { Badge, Card, Moment, Table } from '../parts.js';

export function SessionsCard({ sessions, current }: { sessions: readonly ListedSession[]; current: number }) {
  const rows = sessions.map((session) => ({
    key: session.id,
    cells: [
      <>
        {browserName(session.browser)} {session.id === current && <Badge tone="good">This browser</Badge>}
      </>,
      <>
        {session.address}
        {session.country && <p class="hint">{countryName(session.country)}</p>}
      </>,
      <Moment at={session.lastSeenAt} />,
      <Moment at={session.startedAt} />,
      session.id === current ? null : (
        <div class="actions">
          <Form action={`/settings/account/sessions/${session.id}/end`}>
            <button class="quiet" type="submit">
              Sign out<span class="unseen">{` ${browserName(session.browser)} at ${session.address}`}</span>
            </button>
          </Form>
        </div>
      ),
    ],
  }));
  return (
    <Card title="Signed-in browsers">
      <Table caption="Signed-in browsers" columns={['Browser', 'Address', 'Last seen', 'Since', '']} rows={rows} />
      {sessions.some(({ country }) => country !== null) && (
        <p class="hint below">Countries are those in which the addresses are registered. A browser may be elsewhere.</p>
      )}
      {sessions.length > 1 && (
        <Form action="/settings/account/sessions/end-others">
          <div class="buttons">
            <Button kind="plain">Sign out everywhere else</Button>
          </div>
        </Form>
      )}
    </Card>
  );
}
