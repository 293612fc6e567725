import { announceChannel } from '../cast.ts';
import type { Message } from '../fake-slack/fake-slack.ts';
import type { Scene, Story } from '../story.ts';
import { openSteps } from './steps.ts';

/** An alert declares an incident through the API; yields its number. */
async function declareElsewhere({ system, transcript }: Story, title: string): Promise<string> {
  transcript.does(system.clock.now(), 'an alert', 'declares an incident through the API', title);
  const { incident } = await system.operator.IncidentsService.CreateIncident({
    title,
    severity: 'major',
    status: 'active',
    labels: [],
  });
  return incident.incidentID;
}

/** The messages in the channel for announcements. */
function announcements({ system }: Story): readonly Message[] {
  return system.slack.channel(announceChannel).messages;
}

/** The offer of an incident, in the channel for announcements, that was not there `before`. Throws when there is none. */
function findOffer(story: Story, title: string, before: readonly Message[]): Message {
  const fresh = announcements(story).filter(each => !before.includes(each));
  const found = fresh.find(each => JSON.stringify(each.blocks).includes(title));
  if (found === undefined) throw new Error(`Nobody was offered a room for “${title}”.`);
  return found;
}

/** Incidents that began elsewhere: one gets a room of its own, others are followed by channels that were there before. */
export const elsewhere: Scene = async story => {
  const { alice, bob } = story.cast;
  story.transcript.scene(
    'From elsewhere',
    'Alerts declare incidents through the API, and people decide where to work.',
  );
  const before = [...announcements(story)];
  await story.check('Everybody is offered a channel for it.', {
    act: () => declareElsewhere(story, 'Queue is stuck'),
    look: () => void findOffer(story, 'Queue is stuck', before),
  });
  const announced = openSteps(story, `#${announceChannel}`);
  const message = findOffer(story, 'Queue is stuck', before);
  await announced.presses(alice, 'Open a channel', 'Head to', { message });

  const lag = await declareElsewhere(story, 'Replica lags');
  const database = openSteps(story, '#database');
  await database.types(bob, `/incident link ${lag}`, 'follow');
  await database.types(bob, `/incident unlink --incident ${lag}`, 'from following');
  await database.presses(bob, 'Unlink', 'unlinked');

  const leak = await declareElsewhere(story, 'A key leaked');
  const security = openSteps(story, '#security');
  await security.types(bob, `/incident link ${leak}`, 'This channel is private');
  await security.presses(bob, 'Link it', 'follow');
};
