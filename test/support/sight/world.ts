import type { Channel, Message, Person } from '../../../playground/fake-slack/fake-slack.ts';
import { watchdogName } from '../../../playground/watchdog.ts';
import { openOutage } from '../outage-room.ts';
import { openInstalledSlack } from '../workplace.ts';

/*
 * “Nobody reads what they may not”, as a search for counterexamples. `world.ts` has an incident with words that only its room may read, and
 * people outside. `scenes.ts` are times of that room's life (private, shared, left, renamed); each yields what somebody outside read of it.
 * `attempts.ts` is all that an outsider can type and press. `outlets.ts` and `alerts.ts` are the ways past Slack: pages, exports, webhooks,
 * alerts. `life.ts` goes through a whole life of the embedded service. test/soak/sight takes each check out, and a scene must yield words then.
 */

/** Words of the incident that nobody outside may read: of its title, its tasks and its notes, and who works on it. */
export const secretWords = ['zanzibar', 'quagga', 'mandrill', 'ursula'];

/** The token of the team's source of alerts. They are offered where incidents are announced. */
export const alertToken = 'alerts-of-the-secret-team';

/**
 * A team with an incident “Zanzibar burns”. Alice declared it, ursula is its commander. Olga, gus (a guest) and petra (of another
 * organisation) are outside its room. The API is a Grafana that can go away.
 */
export async function openSecret({ isPrivate }: { isPrivate: boolean }) {
  const slack = await openInstalledSlack();
  const incidents = slack.addChannel({ name: 'incidents', botIsMember: true });
  const outage = await openOutage({
    slack,
    settings: { ANNOUNCE_CHANNEL: incidents.id, ALERTS: `${watchdogName}=${alertToken}` },
    // The form is kept without its options when its submission is refused.
    expectErrors: record => record.modal === 'timeline.pick',
  });
  const { place, api, alice, general } = outage;
  const [ursula, olga] = ['ursula', 'olga'].map(name => slack.addPerson({ name, email: `${name}@example.com` }));
  const gus = slack.addPerson({ name: 'gus', isRestricted: true });
  const petra = slack.addPerson({ name: 'petra', teamId: 'T0PARTNER01', isStranger: true });
  if (!ursula || !olga) throw new Error('Nobody is there');
  for (const person of [ursula, olga, gus]) person.join(general);
  // Where a guest reads, an announcement shows the number alone.
  for (const person of isPrivate ? [olga, gus] : [olga]) person.join(incidents);
  const type = (line: string, person: Person, channel: Channel = general) => outage.type(line, person, channel.id);
  await type(`/incident declare Zanzibar burns${isPrivate ? ' --private' : ''} --now`, alice);
  const room = outage.room();
  await fillIncident({ type, alice, ursula, room });
  const secrets = [...secretWords, ursula.id.toLowerCase(), room.id.toLowerCase()];
  /** Forms that somebody opened and sent. */
  const opened: { person: Person; view: string }[] = [];
  return {
    ...outage,
    opened,
    slack,
    place,
    api,
    alice,
    ursula,
    olga,
    gus,
    petra,
    general,
    incidents,
    room,
    type,
    secrets,
  };
}
/** Ursula comes into the room as commander, and alice writes tasks and a note. */
export async function fillIncident({
  type,
  alice,
  ursula,
  room,
}: {
  type: (line: string, person: Person, channel: Channel) => Promise<unknown>;
  alice: Person;
  ursula: Person;
  room: Channel;
}): Promise<void> {
  alice.invite(room, ursula);
  for (const line of [
    '/task add feed the Quagga',
    '/task add brush the Quagga',
    '/note add the Mandrill is loose',
    '/role assign @ursula commander',
  ])
    await type(line, alice, room);
}

/** That team. */
export type Secret = Awaited<ReturnType<typeof openSecret>>;

/** Everything that Muster shows a person: by its place, so that what is new or changed can be told. */
export function shownTo({ slack, opened }: Secret, person: Person): ReadonlyMap<string, string> {
  const shown = new Map<string, string>();
  for (const channel of slack.channels) {
    const isReadable = channel.members.has(person.id) || (!channel.isPrivate && !person.record.isStranger);
    if (!isReadable) continue;
    const ours = (message: Message) => message.botId === slack.botId || message.ephemeralTo !== undefined;
    for (const message of person.sees(channel).filter(ours)) {
      const { text, blocks, attachments } = message;
      shown.set(`${channel.name} ${message.ts}`, JSON.stringify([text, blocks, attachments]));
    }
    shown.set(`topic of ${channel.name}`, channel.topic);
  }
  for (const [index, each] of opened.entries()) if (each.person === person) shown.set(`form ${index}`, each.view);
  for (const view of [person.view, person.home]) if (view) shown.set(`view ${view.id}`, JSON.stringify(view.payload));
  return shown;
}

/** Whether a text holds a secret. */
export function isSecret({ secrets }: Pick<Secret, 'secrets'>, text: string): boolean {
  return secrets.some(word => text.toLowerCase().includes(word));
}

/** What was shown since `before` and holds a secret. */
function leaksSince(secret: Secret, person: Person, before: ReadonlyMap<string, string>): readonly string[] {
  return [...shownTo(secret, person)]
    .filter(([where, what]) => before.get(where) !== what)
    .filter(([, what]) => isSecret(secret, what))
    .map(([where, what]) => `${person.name}, ${where}: ${what.slice(0, 300)}`);
}

/** Watches what these people are shown while something happens. */
export async function watch(
  secret: Secret,
  people: readonly Person[],
  act: () => Promise<void>,
): Promise<readonly string[]> {
  const before = people.map(person => shownTo(secret, person));
  await act();
  await secret.slack.settled();
  await secret.place.quiet();
  return people.flatMap((person, index) => leaksSince(secret, person, before[index] ?? new Map()));
}

/** Resolves when Slack has told everything, and Muster has done all of it. */
export async function settle({ slack, place }: Secret): Promise<void> {
  await slack.settled();
  await place.quiet();
}
