import { expect, onTestFinished, test } from 'vitest';
import type { Person } from '../../playground/fake-slack/fake-slack.ts';
import { patient } from '../support/deadlines.ts';
import { absences, delays, type Failure, losses, pauses, refusals } from '../support/grafana/failures.ts';
import { openGrafana } from '../support/grafana/grafana.ts';
import { declareNow } from '../support/incident-room.ts';
import { isLong } from '../support/length.ts';
import { openWorkplace, readMessage, type Workplace } from '../support/workplace.ts';

/** Alice, bob and wendy, who only looks on, in the room of an incident that a Grafana keeps, on a clock that moves by `move` and `pass` alone. */
async function openRoom() {
  let now = new Date('2026-11-20T12:15:00Z');
  const clock = () => now;
  const grafana = await openGrafana({ now: clock });
  onTestFinished(() => grafana[Symbol.asyncDispose]());
  const place = await openWorkplace({
    ...{ clock, monotonicNow: () => now.getTime(), deadlines: patient({ landing: 60_000, askedPause: 1000 }) },
    settings: grafana.settings,
  });
  const { slack } = place;
  const alice = slack.addPerson({ name: 'alice', isAdmin: true });
  const bob = slack.addPerson({ name: 'bob' });
  const wendy = slack.addPerson({ name: 'wendy' });
  const general = slack.addChannel({ name: 'general', members: [alice, bob, wendy] });
  const home = await declareNow(place, alice, general, 'Checkout answers 500');
  for (const person of [bob, wendy]) person.join(home.id);
  await place.quiet();
  const { journal } = place.muster.bot;
  const held = () => {
    const [incident] = grafana.incidents;
    if (!incident) throw new Error('There is no incident');
    return incident;
  };
  const move = (seconds: number) => {
    now = new Date(now.getTime() + seconds * 1000);
    grafana.tick();
  };
  return {
    ...{ place, grafana, alice, bob, wendy, general, home, held },
    /** Types a line that nothing keeps from being done. */
    type: async (line: string, person: Person = alice) => {
      await person.command(home, line);
      await place.quiet();
    },
    /** How many changes are neither done nor failed. One may be tried again just now. */
    pending: async () =>
      (await journal.countByState())
        .filter(each => each.state === 'pending' || each.state === 'running')
        .reduce((sum, each) => sum + each.count, 0),
    /** What waits is tried. */
    wake: async () => {
      await journal.idle();
      await journal.wake();
      await place.quiet();
    },
    move,
    pass: async (seconds: number) => {
      move(seconds);
      await place.quiet();
    },
    notes: (words: string) =>
      held().items.filter(each => each.activityKind === 'userNote' && each.body.includes(words)).length,
    tasks: (words: string) => held().tasks.filter(each => each.text === words).length,
  };
}

type Room = Awaited<ReturnType<typeof openRoom>>;

/** Something that a person does, and that writes. `word` is another one each time. */
interface Act {
  /** The request that fails. */
  readonly operation: string;
  /** False for one of Grafana's own, where a refusal in the form of the incident API is none, and no plugin can be missing. */
  readonly isRpc?: false;
  /** What must be there before, or be no more. */
  readonly before?: (room: Room, word: string) => Promise<unknown> | undefined;
  readonly line: (word: string, room: Room) => string;
  /** The line opens a form, which is sent as it is. */
  readonly hasForm?: true;
  /** How often the change stands on the server. */
  readonly count: (room: Room, word: string) => number;
  readonly where?: 'general';
}

const unless = (isSo: boolean, act: () => Promise<unknown>) => (isSo ? undefined : act());

/** When incidents began before somebody said otherwise. */
const starts = new WeakMap<object, string>();

const acts: Readonly<Record<string, Act>> = {
  declare: {
    operation: 'IncidentsService.CreateIncident',
    line: word => `/incident declare ${word} --now`,
    count: ({ grafana }, word) => grafana.incidents.filter(each => each.title === word).length,
    where: 'general',
  },
  note: {
    operation: 'ActivityService.AddActivity',
    line: word => `/note add ${word}`,
    count: ({ notes }, word) => notes(word),
  },
  update: {
    operation: 'ActivityService.AddActivity',
    line: word => `/incident update ${word}`,
    count: ({ notes }, word) => notes(word),
  },
  'task add': {
    operation: 'TasksService.AddTask',
    line: word => `/task add ${word}`,
    count: ({ tasks }, word) => tasks(word),
  },
  'task done': {
    operation: 'TasksService.UpdateTaskStatus',
    before: ({ type }, word) => type(`/task add ${word}`),
    line: (_, { held }) => `/task done ${held().tasks.length}`,
    count: ({ held }, word) => held().tasks.filter(each => each.text === word && each.status === 'done').length,
  },
  'task assign': {
    operation: 'TasksService.UpdateTaskUser',
    before: ({ type }, word) => type(`/task add ${word}`),
    line: (_, { held }) => `/task assign ${held().tasks.length} @bob`,
    count: ({ held, bob }, word) =>
      held().tasks.filter(each => each.text === word && each.assignedUser?.userID.includes(bob.id)).length,
  },
  'role assign': {
    operation: 'IncidentsService.AssignRole',
    before: ({ type, held }) => unless(held().assignments.length === 0, () => type('/role unassign @bob commander')),
    line: () => '/role assign @bob commander',
    count: ({ held }) => held().assignments.filter(each => each.role.name === 'commander').length,
  },
  severity: {
    operation: 'IncidentsService.UpdateSeverity',
    before: ({ type, held }) => unless(held().severity === 'minor', () => type('/incident severity minor')),
    line: () => '/incident severity major',
    count: ({ held }) => Number(held().severity === 'major'),
  },
  title: {
    operation: 'IncidentsService.UpdateTitle',
    line: word => `/incident title ${word}`,
    count: ({ held }, word) => Number(held().title === word),
  },
  label: {
    operation: 'IncidentsService.AddLabel',
    line: word => `/incident label add ${word}`,
    count: ({ held }, word) => held().labels.filter(each => each.label === word).length,
  },
  drill: {
    operation: 'IncidentsService.UpdateIncidentIsDrill',
    before: ({ type, held }) => unless(!held().isDrill, () => type('/incident drill off')),
    line: () => '/incident drill on',
    count: ({ held }) => Number(held().isDrill),
  },
  started: {
    operation: 'IncidentsService.UpdateIncidentEventTime',
    before: ({ type, held }) => type('/incident started 50m ago').then(() => starts.set(held(), held().incidentStart)),
    line: () => '/incident started 20m ago',
    count: ({ held }) => Number(held().incidentStart !== starts.get(held())),
  },
  resolve: {
    operation: 'IncidentsService.UpdateStatus',
    before: ({ type, held }) => unless(held().status === 'active', () => type('/incident reopen')),
    line: () => '/incident resolve --now',
    count: ({ held }) => Number(held().status === 'resolved'),
  },
  'dash link': {
    operation: 'ShortUrls.create',
    isRpc: false,
    before: async ({ grafana }, word) => void grafana.saveDashboard({ uid: word, title: word }),
    line: (word, { grafana }) => `/dash link ${grafana.url}/d/${word}/checkout last 3 hours`,
    count: ({ notes }, word) => notes(word),
  },
  'role create': {
    operation: 'RolesService.CreateRole',
    before: async ({ grafana }) => {
      for (const { roleID } of grafana.roles().slice(3)) grafana.call('RolesService.DeleteRole', { roleID });
    },
    line: word => `/role create ${word}`,
    hasForm: true,
    count: ({ grafana }, word) => grafana.roles().filter(each => each.name === word).length,
  },
};

type Kind = 'refused' | 'kept' | 'once';
const table = (some: Readonly<Record<string, Failure>>, kind: Kind, times = Number.POSITIVE_INFINITY) =>
  Object.entries(some).map(([name, failure]) => ({ name, failure, kind, times }));
/** `refused`: until it is healed, and for good. `kept`: until it is healed, and then done. `once`: the first request alone fails. */
const failures = [
  ...table(refusals, 'refused'),
  ...table(absences, 'kept'),
  ...table(pauses, 'kept'),
  ...table(losses, 'once', 1),
  ...table(delays, 'once', 1),
];

/** The cases of `.ci/run`: a diagonal, which has each failure twice, and each act at least four times. */
const diagonal = Array.from({ length: 2 * failures.length }, (_, at) => {
  const act = at + 4 * Math.floor(at / failures.length);
  return `${act % Object.keys(acts).length} ${at % failures.length}`;
});

/** A word of its own for each case. */
const toWord = (at: number) =>
  `xx${[...String(at + 10)].map(each => String.fromCodePoint(97 + Number(each))).join('')}xx`;

const isLate = /What you asked for earlier is done/g;

/** Plays a case, and yields what is there and what was read when all is over. Without a failure it shows what is usual. */
async function play(room: Room, name: string, word: string, wrong?: (typeof failures)[number]) {
  const { before, operation, line, hasForm, count, where } = acts[name] as Act;
  const { place, grafana, alice, bob, wendy, move, pass, wake, pending } = room;
  const channel = where === 'general' ? room.general : room.home;
  // What was said before shares no message with what is said now.
  await pass(600);
  await before?.(room, word);
  await pass(600);
  const own = place.slack.openDm(alice).id;
  const known = new Set(messagesOf(place, alice, channel.id, own).map(each => each.ts));
  const since = place.reads(wendy, channel.id).length;
  if (wrong) grafana.fail(operation, wrong.failure, wrong.times);

  const isHeld = grafana.holds().then(() => true);
  await alice.command(channel, line(word, room));
  if (hasForm) {
    await place.quiet();
    await alice.submit({});
  }
  if (await Promise.race([isHeld, place.quiet().then(() => false)])) {
    move(5);
    move(2);
    await place.quiet();
  }
  const first = { held: count(room, word), pending: await pending() };
  const behind = `after ${word}`;
  await room.type(operation === 'TasksService.AddTask' ? `/note add ${behind}` : `/task add ${behind}`, bob);
  const isHeldUp = (await pending()) > first.pending;
  for (const seconds of [1, 5, 8, 9, 16, 20, 20]) {
    await pass(seconds);
    if (seconds > 1) grafana.heal();
    if ((await pending()) > 0) await wake();
  }
  grafana.heal();

  const shared = new Set(place.messages(wendy, channel.id).map(each => each.ts));
  const said = messagesOf(place, alice, channel.id, own).filter(each => !known.has(each.ts) && !shared.has(each.ts));
  return {
    first,
    isHeldUp,
    held: count(room, word),
    behind: room.tasks(behind) + room.notes(behind),
    pending: await pending(),
    /** The new lines of the room, but for those about the outage and for what came after. */
    told: place
      .reads(wendy, channel.id)
      .slice(since)
      .flatMap(each => toUsual(each).split('\n'))
      .filter(each => !/Grafana|Nothing waits|after §/.test(each)),
    /** What alice alone reads. */
    said: said.map(each => toUsual(readMessage(place.slack, each))).join('\n'),
  };
}

/** The messages that a person sees in these channels. */
const messagesOf = (place: Workplace, person: Person, ...channels: readonly string[]) =>
  channels.flatMap(each => place.messages(person, each));

/** Words without what differs from case to case. */
function toUsual(words: string): string {
  return words
    .replaceAll(/xx\w{2}xx|Checkout answers \d+/g, '§')
    .replaceAll(/goto\/\w+/g, 'goto/§')
    .replaceAll(/ · asked for .*/g, '')
    .replaceAll(/(What comes next).*/gs, '$1')
    .replaceAll(/\d+ (?:s|min|h \d+ min)\b/g, '# min')
    .replaceAll(/#inc-(?:\d+-)?/g, '#inc-')
    .replaceAll(/\d+/g, '#')
    .replaceAll(/\b[AP]M\b/g, 'M');
}

/** What a case should have come to, by what is usual. */
function judge(usual: Awaited<ReturnType<typeof play>>, seen: Awaited<ReturnType<typeof play>>, kind: Kind): object {
  const [receipt = ''] = usual.said.split('\n');
  const isDone = kind !== 'refused';
  const isKnown = seen.said.includes(receipt);
  const late = [...seen.said.matchAll(isLate)].length;
  return {
    held: [seen.held, Number(isDone)],
    behind: [seen.behind, 1],
    pending: [seen.pending, 0],
    'held up behind a refusal': [!isDone && seen.isHeldUp, false],
    'told in the room': [seen.told.join('\n'), isDone ? usual.told.join('\n') : ''],
    'said to be done': [Number(isKnown && late === 0) + late, Number(isDone)],
    'said to be refused': [/could not|Nothing was changed/.test(seen.said), !isDone],
    'said to be saved while it waited': [/Saved/.test(seen.said), isDone && seen.first.pending > 0],
  };
}

test.each(Object.keys(acts))(
  '%s: in the end once or refused, whatever fails, and nobody reads otherwise',
  async name => {
    const room = await openRoom();
    const usual = await play(room, name, 'xxzzxx');
    expect([usual.held, usual.behind, usual.pending]).toEqual([1, 1, 0]);
    const nth = Object.keys(acts).indexOf(name);
    const wrong: string[] = [];
    for (const [at, failure] of failures.entries()) {
      if (!isLong && !diagonal.includes(`${nth} ${at}`)) continue;
      if (acts[name]?.isRpc === false && /error|404 of (?:the API|a missing)/.test(failure.name)) continue;
      const word = toWord(at);
      const seen = await play(room, name, word, failure);
      for (const [what, [is, should]] of Object.entries(judge(usual, seen, failure.kind)))
        if (is !== should) wrong.push(`${failure.name}: ${what}: ${is}, not ${should}\n${seen.said}`);
    }
    expect(wrong.join('\n\n')).toBe('');
  },
);

test('nobody waits in silence while Grafana asks to wait two seconds, and two more', async () => {
  const { place, grafana, alice, home, type, notes, pass, wake } = await openRoom();
  const headers = { 'content-type': 'application/json', 'retry-after': '2' };
  const reply = () => ({ status: 429, headers, body: '{"message":"Too many requests"}' });
  grafana.fail('AddActivity', { effect: 'none', reply }, 2);
  await type('/note add the disk is full');
  expect(place.reads(alice, home.id).join('\n')).toMatch(/⏳ Saved\. .*asks to wait/);
  for (const seconds of [3, 3]) {
    await pass(seconds);
    await wake();
  }
  expect(notes('the disk is full')).toBe(1);
  expect(place.lastRead(alice, home.id)).toContain('You noted on the timeline');
});

test.each([
  ['with a room', '', 'inc-disk-is-full'],
  ['without one', '--resolved --started 2h ago --ended 1h ago', ''],
])(
  'a declaration %s that fails while Grafana answers: who declared reads why, and how to end it',
  async (_, flags, name) => {
    const { place, grafana, alice, general, type, pass, wake, pending } = await openRoom();
    const { slack } = place;
    grafana.fail('CreateIncident', {
      effect: 'none',
      reply: () => ({ status: 502, headers: {}, body: 'the proxy refuses it' }),
    });
    await alice.command(general, `/incident declare Disk is full ${flags} --now`);
    await place.quiet();
    const where = () =>
      name === '' ? slack.openDm(alice).id : (slack.channels.find(each => each.name === name)?.id ?? '');
    const told = () => place.reads(alice, where()).filter(each => each.includes('has failed since'));
    for (const seconds of [5, 15, 15, 15]) {
      await pass(seconds);
      await type('/note list');
      await wake();
    }
    expect(told()).toHaveLength(1);
    expect(told()[0]).toMatch(/Grafana answers, but .*“the proxy refuses it”.*@alice.*Discard/s);
    grafana.heal();
    await wake();
    await wake();
    expect(await pending()).toBe(0);
    expect(grafana.incidents.at(-1)?.title).toBe('Disk is full');
    if (name !== '') expect(told()).toEqual([]);
  },
);

test('a note whose answer was lost is not told as one that fails: it waits until Grafana can make it no more', async () => {
  const { place, grafana, alice, home, type, pass, wake, pending, notes } = await openRoom();
  grafana.fail('AddActivity', { effect: 'none', reply: 'reset' }, 1);
  await type('/note add the disk is full');
  const told = () => place.reads(alice, home.id).filter(each => each.includes('has failed since'));
  for (const seconds of [5, 10, 10, 10, 10]) {
    await pass(seconds);
    await wake();
    expect(told()).toEqual([]);
  }
  expect(await pending()).toBe(1);
  for (const seconds of [20, 20]) {
    await pass(seconds);
    await wake();
  }
  expect(notes('the disk is full')).toBe(1);
  expect(told()).toEqual([]);
});

test('a note that goes on failing once its lost answer is over is told after twenty seconds more', async () => {
  const { place, grafana, alice, home, type, pass, wake } = await openRoom();
  grafana.fail('AddActivity', { effect: 'none', reply: 'reset' }, 1);
  await type('/note add the disk is full');
  grafana.heal();
  grafana.fail('AddActivity', { effect: 'none', reply: () => ({ status: 502, headers: {}, body: 'no' }) });
  const told = () => place.reads(alice, home.id).filter(each => each.includes('has failed since'));
  const seen: number[] = [];
  for (let passed = 5; passed <= 120; passed += 5) {
    await pass(5);
    await wake();
    if (told().length > 0) seen.push(passed);
  }
  expect(seen[0]).toBeGreaterThanOrEqual(60);
  expect(seen[0]).toBeLessThanOrEqual(110);
});
