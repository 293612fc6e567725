import { z } from 'zod';
import { type Home, isHome } from './clients.ts';

const installed = { team_id: z.string().nullish(), enterprise_id: z.string().nullish() };

/** The members of every event that say for which installation of the app it is (docs/slack.md 3). */
export const eventEnvelope = {
  type: z.literal('event_callback'),
  ...installed,
  authorizations: z.array(z.object(installed)).nullish(),
};
const Envelope = z.object(eventEnvelope);
type Envelope = z.output<typeof Envelope>;

/** The workspace, or else the organisation, whose installation hears an event; `""` when Slack names none. */
export function teamOfEvent({ authorizations, team_id, enterprise_id }: Envelope): string {
  const [first] = authorizations ?? [];
  return first?.team_id ?? team_id ?? first?.enterprise_id ?? enterprise_id ?? '';
}

/** Whether an event names workspaces or organisations, and none of them is the home. */
export function isForAnother(body: unknown, home: Home): boolean {
  const { data } = Envelope.safeParse(body);
  if (!data) return false;
  const ids = [data, ...(data.authorizations ?? [])].flatMap(each => [each.team_id ?? '', each.enterprise_id ?? '']);
  const named = ids.filter(id => id !== '');
  return named.length > 0 && !named.some(id => isHome(home, id));
}
