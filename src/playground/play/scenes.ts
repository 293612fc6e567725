import { readFile } from 'node:fs/promises';
import type { Incident } from '../../contract/incidents.ts';
import { type Channel, type Message, type Person, renderMessage, renderView } from '../fake-slack.ts';
import type { Hands } from './hands.ts';
import type { Stage } from './stage.ts';
import type { Steps } from './steps.ts';
import { printTimeline, readTimeline } from './timeline.ts';
import type { Transcript } from './transcript.ts';

/** What every scene works with. */
export interface Play {
  readonly stage: Stage;
  readonly hands: Hands;
  readonly steps: Steps;
  readonly transcript: Transcript;
}

const incidentID = '1';

/** The incident as the API has it now. */
async function readIncident({ stage }: Play): Promise<Incident> {
  return (await stage.muster.api.IncidentsService.GetIncident({ incidentID })).incident;
}

/** The incident's channel. Throws when nobody made one. */
function roomOf({ stage }: Play): Channel {
  const room = stage.slack.channels.find(channel => channel.name.startsWith(`inc-${incidentID}-`));
  if (room === undefined) throw new Error('There is no channel for the incident.');
  return room;
}

/** The pinned card in the incident's channel. Throws when there is none. */
function cardOf(play: Play): Message {
  const card = roomOf(play).messages.find(message => message.pinned);
  if (card === undefined) throw new Error('There is no pinned card in the incident’s channel.');
  return card;
}

/** What somebody reads last in a channel. */
function lastRead({ stage }: Play, person: Person, channel: Channel | string): string {
  const last = person.sees(channel).at(-1);
  return last === undefined ? '' : renderMessage(stage.slack, last);
}

const reads = (play: Play, message: Message | undefined) =>
  message === undefined ? '' : renderMessage(play.stage.slack, message);

/** An alert in a channel, and somebody who says what they see. */
export async function alert(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  const { watchdog, alice } = stage.cast;
  transcript.scene('An alert');
  await steps.step('Muster keeps out of what is not addressed to it.', async expect => {
    await hands.says(
      watchdog,
      '#checkout',
      '[FIRING] CheckoutErrors: 31 % of POST /orders answer 500, for 2 min\nhttps://grafana.example.com/alerting/grafana/checkout-errors',
    );
    stage.clock.pass(1);
    await hands.says(alice, '#checkout', 'I see it too: every third order fails when people pay by card.');
    const own = stage.slack.channels
      .flatMap(channel => channel.messages)
      .filter(each => each.botId === stage.slack.botId);
    expect(own.length === 0, 'no message of Muster anywhere');
  });
}

/** Somebody else declares the incident by form. */
export async function declareByForm(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  const { slack } = stage;
  const { bob } = stage.cast;
  stage.clock.pass(1);
  transcript.scene('Bob declares an incident');
  await steps.step('The form opens with what bob typed.', async expect => {
    await hands.types(bob, '#checkout', '/incident declare Checkout answers 500 --severity minor --label checkout');
    const form = bob.view ? renderView(slack, bob.view) : '';
    for (const typed of ['[Checkout answers 500]', '[minor ▾]', '[checkout]']) {
      expect(form.includes(typed), `a form with ${typed}`);
    }
  });
  await steps.step(
    'The API has incident 1, active and minor, begun when the alert says, with label and link.',
    async expect => {
      await hands.submits(bob, 'Declare', {
        'Started at': new Date('2026-03-14T02:05:00Z'),
        Link: 'https://grafana.example.com/alerting/grafana/checkout-errors',
        'Caption of the link': 'The alert',
      });
      const incident = await readIncident(play);
      expect(incident.title === 'Checkout answers 500', 'the title bob typed');
      expect(incident.status === 'active' && incident.severity === 'minor', 'active and minor');
      expect(
        incident.labels.some(each => each.label === 'checkout'),
        'the label checkout',
      );
      expect(incident.incidentStart.startsWith('2026-03-14T02:05'), 'a start at 02:05');
      expect(incident.createdByUser.name === 'bob', 'bob as who declared it');
      expect(bob.view === undefined, 'a form that closed');
      expect(lastRead(play, bob, '#checkout').includes('Incident 1 is declared'), 'a receipt for bob in #checkout');
    },
  );
  await steps.step(
    'Its channel is there: bob is in it, the topic says what it is about, the card is pinned.',
    async expect => {
      const room = roomOf(play);
      expect(room.members.has(bob.id), 'bob in the channel');
      expect(room.topic.includes('Checkout answers 500'), 'a topic with the title');
      expect(reads(play, cardOf(play)).includes('Checkout answers 500'), 'a card with the title');
    },
  );
  await steps.step('#incidents knows of it and of its channel.', async expect => {
    const announcement = lastRead(play, stage.cast.carol, '#incidents');
    expect(announcement.includes('Checkout answers 500'), 'an announcement with the title');
    expect(announcement.includes(`#${roomOf(play).name}`), 'an announcement with the way to the channel');
  });
}

/** Who does what. */
export async function roles(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  const { alice, bob, carol } = stage.cast;
  stage.clock.pass(2);
  transcript.scene('Roles');
  const holds = async (role: string, name: string) =>
    (await readIncident(play)).incidentMembership.assignments.some(
      each => each.role.name === role && each.user.name === name,
    );
  await steps.step('Bob is commander, in the API and on the card.', async expect => {
    await hands.types(bob, roomOf(play), '/role assign @bob commander');
    expect(await holds('commander', 'bob'), 'bob as commander in the API');
    expect(reads(play, cardOf(play)).includes('commander: bob'), 'bob as commander on the card');
  });
  await steps.step('Alice took a role herself.', async expect => {
    const room = roomOf(play);
    await hands.joins(alice, room);
    await hands.joins(carol, room);
    await hands.types(alice, room, '/role assign me investigator');
    expect(await holds('investigator', 'alice'), 'alice as investigator in the API');
    expect(reads(play, cardOf(play)).includes('investigator: alice'), 'alice as investigator on the card');
  });
}

/** What has to be done. */
export async function tasks(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  const { alice, bob } = stage.cast;
  stage.clock.pass(2);
  transcript.scene('Tasks');
  await steps.step('There are two tasks, each with who does it.', async expect => {
    const room = roomOf(play);
    await hands.types(bob, room, '/task add Roll back release 1141 @alice');
    await hands.types(bob, room, '/task add Put it on the status page @carol');
    const { taskList } = await readIncident(play);
    const own = taskList.tasks.map(each => `${each.text}: ${each.assignedUser?.name}`);
    expect(own.includes('Roll back release 1141: alice'), 'the roll back as alice’s in the API');
    expect(own.includes('Put it on the status page: carol'), 'the status page as carol’s in the API');
  });
  stage.clock.pass(9);
  await steps.step('One task is done, pressed in the list; one is open.', async expect => {
    await hands.types(alice, roomOf(play), '/task list');
    const list = alice.sees(roomOf(play)).at(-1);
    if (list === undefined) throw new Error('There is no list.');
    await hands.presses(alice, list, 'Done', 'Roll back release 1141');
    const { taskList } = await readIncident(play);
    expect(taskList.todoCount === 1 && taskList.doneCount === 1, 'one task open and one done in the API');
    expect(reads(play, cardOf(play)).includes('1 open, 1 done'), '“1 open, 1 done” on the card');
  });
}

/** A thread, and a reply of it that belongs on the timeline. */
export async function thread(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  const { alice, bob, carol } = stage.cast;
  const shortcut = { id: 'add_timeline', name: 'Add to timeline' };
  stage.clock.pass(3);
  transcript.scene('A thread, and a reply worth keeping');
  let reply: Message | undefined;
  const notesOf = async () => {
    const items = await readTimeline(stage.muster.api, incidentID);
    return items.filter(item => item.activityKind === 'userNote' && item.body.includes('since 02:19'));
  };
  await steps.step(
    'The note has the reply’s own time, who said it, who added it, and the link to it.',
    async expect => {
      const room = roomOf(play);
      const root = await hands.says(alice, room, 'Release 1141 is rolled back. Does paying by card work again?');
      stage.clock.pass(2);
      reply = await hands.says(carol, room, 'Yes, no complaint since 02:19. PayPal never failed.', root);
      stage.clock.pass(3);
      await hands.choosesFromMenu(bob, reply, shortcut);
      const [note] = await notesOf();
      if (note === undefined) throw new Error('There is no such note on the timeline.');
      expect(Math.abs(Date.parse(note.eventTime) - Number(reply.ts) * 1000) < 1000, 'the time of the reply');
      expect(note.body.includes('carol') && note.body.includes('bob'), 'carol and bob in the note');
      expect(note.body.includes(reply.permalink), 'the link to the reply');
      expect(reply.reactions.length === 1, 'a mark under the reply that everybody sees');
    },
  );
  await steps.step('Adding it again adds nothing, and says so.', async expect => {
    if (reply === undefined) throw new Error('There is no reply.');
    await hands.choosesFromMenu(bob, reply, shortcut);
    expect((await notesOf()).length === 1, 'one such note on the timeline');
    expect(lastRead(play, bob, roomOf(play)).includes('already'), 'words that it is there already');
  });
}

/** A dashboard, loaded by whoever runs things, and a link to it that will still be right tomorrow. */
export async function dashboard(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  const { bob } = stage.cast;
  stage.clock.pass(1);
  transcript.scene('A dashboard as evidence');
  await steps.step('The API took Muster’s own dashboard, over HTTP, and gives it back.', async expect => {
    const file = new URL('../../../grafana/muster.dashboard.json', import.meta.url);
    const model: Record<string, unknown> = JSON.parse(await readFile(file, 'utf8'));
    transcript.does(stage.clock.now(), 'an operator', 'sends POST /api/dashboards/db', 'grafana/muster.dashboard.json');
    const saved = await stage.operator.Dashboards.save({
      dashboard: model,
      folderUid: '',
      overwrite: false,
      message: '',
    });
    const { dashboard } = await stage.operator.Dashboards.get({ uid: saved.uid });
    expect(dashboard.title === 'Muster' && dashboard.version === 1, 'version 1 of the dashboard “Muster”');
  });
  await steps.step('The short link leads to the dashboard with fixed times, and the timeline has it.', async expect => {
    const room = roomOf(play);
    await hands.types(bob, room, '/dash link /d/muster/muster?from=now-1h&to=now');
    const posted = lastRead(play, bob, room);
    const uid = /\/goto\/([\w-]+)/.exec(posted)?.[1] ?? '';
    expect(uid !== '', 'a short link in the channel');
    expect(posted.includes('Muster'), 'the dashboard’s title in the channel');
    const { location } = await stage.operator.ShortUrls.goto({ uid });
    transcript.does(stage.clock.now(), 'The short link', 'leads to', location);
    expect(/\/d\/muster\/muster\?.*from=\d{13}&to=\d{13}/.test(location), 'an address with from and to as fixed times');
    const items = await readTimeline(stage.muster.api, incidentID);
    expect(
      items.some(item => item.body.includes(`/goto/${uid}`)),
      'the short link on the timeline',
    );
  });
}

/** It was worse than it looked. */
export async function severity(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  stage.clock.pass(2);
  transcript.scene('The severity is raised');
  await steps.step('It is major, in the API, on the card and in the topic.', async expect => {
    const room = roomOf(play);
    await hands.types(stage.cast.bob, room, '/incident severity major');
    expect((await readIncident(play)).severity === 'major', 'severity major in the API');
    expect(reads(play, cardOf(play)).includes('major'), 'major on the card');
    expect(room.topic.includes('major'), 'major in the topic');
  });
}

/** The end. */
export async function resolve(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  const { bob, carol } = stage.cast;
  const summary = 'Release 1141 lowered the pool of payment connections from 40 to 4. Rolling back cured it.';
  stage.clock.pass(14);
  transcript.scene('Resolved');
  await steps.step('The incident is resolved, with its end and its summary, everywhere it is shown.', async expect => {
    const room = roomOf(play);
    await hands.types(bob, room, '/incident resolve');
    await hands.submits(bob, 'Resolve', { Summary: summary });
    const incident = await readIncident(play);
    expect(incident.status === 'resolved', 'status resolved in the API');
    expect(incident.incidentEnd !== '', 'an end time in the API');
    expect(incident.summary.includes('Rolling back cured it'), 'the summary in the API');
    expect(reads(play, cardOf(play)).includes('Resolved'), 'Resolved on the card');
    expect(lastRead(play, carol, '#incidents').includes('Resolved'), 'Resolved in the announcement');
    expect(room.topic.includes('Resolved'), 'Resolved in the topic');
  });
}

/** What remains: the timeline, read back page by page. */
export async function timeline(play: Play): Promise<void> {
  const { stage, steps, transcript } = play;
  stage.clock.pass(1);
  transcript.scene('What is on the timeline');
  await steps.step('The timeline tells all of it, in order, under people’s names.', async expect => {
    const items = await readTimeline(stage.muster.api, incidentID);
    transcript.lines(printTimeline(items));
    const kinds = new Set(items.map(item => item.activityKind));
    for (const kind of [
      'incidentCreated',
      'roleAssigned',
      'taskAdded',
      'taskCompleted',
      'userNote',
      'incidentSeverityChanged',
      'incidentStatusChanged',
    ]) {
      expect(kinds.has(kind), `an item of the kind ${kind}`);
    }
    const times = items.map(item => item.eventTime);
    expect(
      times.every((time, at) => at === 0 || time >= (times[at - 1] ?? '')),
      'items in the order of their times',
    );
  });
}
