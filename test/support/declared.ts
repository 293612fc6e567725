import type { ActivityKind } from '../../src/contract/activity.ts';
import type { Message } from '../../src/fake-slack/fake-slack.ts';
import { declareNow } from './incident-room.ts';
import { openWorkplace, type WorkplaceOptions } from './workplace.ts';

/** An incident that alice declared a quarter past noon; bob and gus, a guest, are in its channel, and carol is not. */
export async function openDeclared(options: WorkplaceOptions = {}) {
  let now = new Date('2026-11-20T12:15:00Z');
  const isRemote = options.settings?.GRAFANA_URL !== undefined;
  const place = await openWorkplace({ ...(isRemote ? {} : { clock: () => now }), ...options });
  const { slack, api } = place;
  const alice = slack.addPerson({ name: 'alice', tz: 'Europe/Berlin' });
  const bob = slack.addPerson({ name: 'bob', tz: 'America/New_York' });
  const carol = slack.addPerson({ name: 'carol' });
  const wendy = slack.addPerson({ name: 'wendy' });
  const gus = slack.addPerson({ name: 'gus', isRestricted: true });
  const general = slack.addChannel({ name: 'general', members: [alice, bob, carol, gus] });
  const home = await declareNow(place, alice, general, 'Checkout answers 500');
  bob.join(home.id);
  gus.join(home.id);
  wendy.join(home.id);
  const before = place.reads(wendy, home.id).length;

  const reads = (person = alice, channel = home) => place.lastRead(person, channel.id);
  const last = (person = alice, channel = home): Message => {
    const message = place.messages(person, channel.id).at(-1);
    if (!message) throw new Error(`${person.name} reads nothing in #${channel.name}`);
    return message;
  };
  const card = (): Message => {
    const [message] = place.messages(alice, home.id);
    if (!message) throw new Error('There is no card');
    return message;
  };
  return {
    place,
    slack,
    api,
    alice,
    bob,
    carol,
    gus,
    general,
    home,
    reads,
    last,
    card,
    /** Minutes go by. */
    wait: (minutes: number) => {
      now = new Date(now.getTime() + minutes * 60_000);
    },
    type: async (line: string, person = alice, channel = home) => {
      await person.command(channel, line);
      await place.quiet();
      return reads(person, channel);
    },
    press: async (message: Message, what: Parameters<typeof alice.press>[1], person = alice) => {
      await person.press(message, what);
      await place.quiet();
      return reads(person);
    },
    submit: async (values: Parameters<typeof alice.submit>[0] = {}, person = alice) => {
      const answer = await person.submit(values);
      await place.quiet();
      return answer;
    },
    /** What everybody in the incident's channel read since then: wendy looks on and does nothing. */
    publicLines: () => place.reads(wendy, home.id).slice(before),
    incident: async (incidentID = '1') => (await api.IncidentsService.GetIncident({ incidentID })).incident,
    items: async (...activityKind: ActivityKind[]) => {
      const query = { incidentID: '1', activityKind, orderDirection: 'ASC' as const };
      return (await api.ActivityService.QueryActivity({ query })).activityItems;
    },
  };
}
