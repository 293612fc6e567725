import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Message } from '../../playground/fake-slack/fake-slack.ts';
import {
  type AlertArrival,
  type AlertCell,
  type AlertState,
  alertArrivals,
  alertLife,
  alertStates,
} from '../../src/bot/alerts/life.ts';
import { type NoticeOptions, openAlerted } from '../support/alerts/watchdog.ts';
import { openFolder } from '../support/folder.ts';
import { openInstalledSlack } from '../support/workplace.ts';

/*
 * Each cell of the table of `alerts/life.ts`, through HTTP and Slack: a group is brought into each state, each notice comes, and the channel of
 * alerts, the room, the announcements and the people who are called read what the cell says. `critical` declares and calls.
 */

const file = { prometheus: { channel: '' } };

async function startLife(state: AlertState) {
  let now = new Date('2026-11-20T12:15:00Z');
  const slack = await openInstalledSlack(() => now);
  const announcements = slack.addChannel({ name: 'incidents', members: [], botIsMember: true });
  const folder = await openFolder();
  const sources = `${folder}/sources.json`;
  const alertsChannel = slack.addChannel({ name: 'watch', members: [], botIsMember: true });
  await writeFile(sources, JSON.stringify({ prometheus: { ...file.prometheus, channel: alertsChannel.id } }));
  const team = await openAlerted({
    slack,
    clock: () => now,
    settings: {
      ...{ ANNOUNCE_CHANNEL: announcements.id, ALERTS_SOURCES: sources },
      ...{ ALERTS_DECLARE: 'critical', CALL: 'critical:@sre' },
      ...(state === 'resolvedByEnd' ? { ALERTS_END: 'auto' } : {}),
    },
  });
  const { place, alice, bob, send, toBody, rooms } = team;
  const dave = slack.addPerson({ name: 'dave' });
  slack.addUserGroup({ handle: 'sre', members: [dave] });
  for (const who of [alice, bob]) for (const at of [announcements, alertsChannel]) who.join(at);
  const tick = async () => {
    for (let step = 0; step < 3; step += 1) {
      await place.muster.bot.journal.tick();
      await place.quiet();
    }
  };
  const at = (minutes: number) => new Date(now.getTime() + minutes * 60_000).toISOString();
  const sends = async (body: unknown) => {
    const answer = await send(body);
    expect(answer.status, await answer.text()).toBe(200);
    await place.quiet();
    await tick();
  };
  /** A notice of a group; its alerts began at the moment that stands in it. */
  const notice = (group: string, options: NoticeOptions = {}) =>
    sends(toBody({ group, severity: 'minor', startsAt: at(0), endsAt: at(0), ...options }));
  const find = (channel: string, words: string) =>
    place.messages(bob, channel).filter(each => JSON.stringify(each).includes(words));
  const press = async (message: Message | undefined, label: string) => {
    await bob.press(message ?? expect.fail('There is no message'), label);
    await place.quiet();
  };
  return {
    ...{ ...team, at, notice, sends, press, announcements, dave, alertsChannel, tick },
    wait: (minutes: number) => {
      now = new Date(now.getTime() + minutes * 60_000);
    },
    offer: (group: string) => find(alertsChannel.id, group).at(-1),
    room: (group: string) => rooms().findLast(each => each.name.endsWith(group.toLowerCase())),
    /** The messages about a group, and the lines of its room. */
    read: async (group: string, room = rooms().findLast(each => each.name.endsWith(group.toLowerCase()))) => {
      const shown = find(alertsChannel.id, group).map(({ ts }) => ts);
      const texts = place
        .reads(bob, alertsChannel.id)
        .filter(each => each.includes(group))
        .map(each => each.replaceAll(/#inc-[\w-]+(?: \(archived\))?/g, ''));
      // A closed channel reads nothing: Slack takes no message there.
      const lines = room ? room.messages.filter(each => JSON.stringify(each).includes('🔔')).map(each => each.ts) : [];
      const news = room ? room.messages.map(each => JSON.stringify(each)).filter(each => each.includes('🔔')) : [];
      const announced = place.reads(bob, announcements.id).length;
      const called = place.reads(dave, slack.openDm(dave).id).length;
      const query = { query: { limit: 100 } };
      const { incidentPreviews: incidents } = await place.api.IncidentsService.QueryIncidentPreviews(query);
      return { shown, texts, lines, news, announced, called, room, incidents };
    },
  };
}

type Life = Awaited<ReturnType<typeof startLife>>;
type Incidents = Awaited<ReturnType<Life['read']>>['incidents'];

/** Brings a group into a state. It began at `begun`, with the instance web-1, and two where some of them may end. */
const bring: Readonly<Record<AlertState, (life: Life, group: string, options: NoticeOptions) => Promise<void>>> = {
  unknown: async () => {},
  offered: (life, group, options) => life.notice(group, options),
  storm: (life, group, options) => life.notice(group, options),
  muted: async (life, group, options) => {
    await life.notice(group, options);
    await life.press(life.offer(group), 'Mute 1 h');
  },
  over: async (life, group, options) => {
    await life.notice(group, options);
    life.wait(11);
    await life.notice(group, { ...options, status: 'resolved' });
  },
  taken: declare,
  closed: async (life, group, options) => {
    await declare(life, group, options);
    const room = life.room(group) ?? expect.fail('There is no room');
    life.bob.archive(room);
    await life.place.quiet();
  },
  resolved: async (life, group, options) => {
    await declare(life, group, options);
    await life.bob.command(life.room(group) ?? 'none', '/incident resolve --now it was the pool');
    await life.tick();
  },
  mistaken: async (life, group, options) => {
    await declare(life, group, options);
    await life.bob.command(life.room(group) ?? 'none', '/incident cancel');
    await life.tick();
  },
  resolvedByEnd: async (life, group, options) => {
    await life.notice(group, { ...options, severity: 'critical' });
    life.bob.join(life.room(group) ?? expect.fail('There is no room'));
    life.wait(11);
    await life.notice(group, { ...options, severity: 'critical', status: 'resolved' });
    await life.tick();
  },
};

async function declare(life: Life, group: string, options: NoticeOptions): Promise<void> {
  await life.notice(group, options);
  await life.press(life.offer(group), 'Declare');
  await life.bob.submit({});
  await life.tick();
}

/** Sends a notice. `isOver`: the group ended before. */
async function arrive(
  life: Life,
  arrival: AlertArrival,
  group: string,
  options: NoticeOptions,
  severity: string,
): Promise<void> {
  const ends = () => life.notice(group, { ...options, status: 'resolved' });
  switch (arrival) {
    case 'fires':
      return life.notice(group, options);
    case 'grows':
      return life.notice(group, { ...options, instances: ['web-1', 'web-2', 'web-3'], startsAt: life.at(0) });
    case 'graver':
      return life.notice(group, { ...options, severity: 'critical' });
    case 'others':
      return life.notice(group, { ...options, instances: ['web-8', 'web-9'], startsAt: life.at(0) });
    case 'shrinks':
      return life.notice(group, { ...options, instances: ['web-1'] });
    case 'large': {
      const instances = Array.from({ length: 1200 }, (_, each) => `web-${each + 1}`);
      return life.notice(group, { ...options, instances, startsAt: life.at(0) });
    }
    case 'ends':
      return ends();
    case 'returnsOld':
    case 'returnsNew':
    case 'returnsLater': {
      life.wait(arrival === 'returnsLater' ? 45 : 12);
      return life.notice(group, {
        ...options,
        ...(severity ? { severity } : {}),
        ...(arrival === 'returnsOld' ? {} : { startsAt: life.at(0) }),
      });
    }
    case 'late':
      life.wait(1);
      return life.notice(group, options);
    case 'otherTool':
      return life.notice(group, {
        ...{ ...options, status: 'resolved', tool: 'https://other.example.com', instances: ['db-1'] },
      });
    case 'otherRoute':
      return life.notice(group, { ...options, key: `another route to ${group}` });
  }
}

/** Arrivals before which the group ends. */
const afterEnd: readonly AlertArrival[] = ['returnsOld', 'returnsNew', 'returnsLater', 'late'];

const inRoom: Readonly<Record<Extract<AlertCell['room'], string>, RegExp>> = {
  joined: /fires too/,
  crowded: /fires too/,
  grew: /more alerts? of/,
  others: /other alerts? of/,
  graver: /critical/,
  still: /still fires/,
  burns: /fires on/,
  again: /fires again/,
  ended: /ended/,
};

/** The act that Muster did on its own between two looks at the incidents. */
function actOf(before: Incidents, after: Incidents): string {
  if (after.length > before.length) return 'declare';
  for (const { incidentID, status, severityLabel } of after) {
    const was = before.find(each => each.incidentID === incidentID);
    if (was?.status !== status) return status === 'active' ? 'reopen' : 'resolve';
    if (was.severityLabel !== severityLabel) return 'raise';
  }
  return 'nothing';
}

/** What people read by a notice, in the words of a cell; a silence is `nothing`. */
function effectOf(before: Awaited<ReturnType<Life['read']>>, after: Awaited<ReturnType<Life['read']>>) {
  const isNew = after.shown.some(each => !before.shown.includes(each));
  const isOtherwise = JSON.stringify(after.texts) !== JSON.stringify(before.texts);
  const hasEnded = after.texts.some(each => /ended .*nobody had to act/.test(each));
  const wasEnded = before.texts.some(each => /ended .*nobody had to act/.test(each));
  const lines = after.news.filter((_, place) => !before.lines.includes(after.lines[place] ?? ''));
  return {
    channel:
      isNew || after.incidents.length > before.incidents.length
        ? 'posted'
        : hasEnded && !wasEnded
          ? 'ended'
          : isOtherwise
            ? 'edited'
            : 'nothing',
    lines,
    act: actOf(before.incidents, after.incidents),
    isCalled: after.called > before.called,
  };
}

test.each(Object.keys(alertStates) as AlertState[])(
  'an alert that is %s: each notice, and the people who read of it',
  async state => {
    const life = await startLife(state);
    const found: Record<string, unknown> = {};
    const wanted: Record<string, unknown> = {};
    for (const arrival of Object.keys(alertArrivals) as AlertArrival[]) {
      const group = `Group${Object.keys(alertArrivals).indexOf(arrival)}`;
      const cell = alertLife[state][arrival];
      life.wait(61);
      if (state === 'storm') for (let each = 0; each < 6; each += 1) await life.notice(`Mild${group}${each}`);
      const options = { startsAt: life.at(0), instances: ['web-1', 'web-2'] };
      await bring[state](life, group, options);
      const isEnded = ['over', 'resolvedByEnd'].includes(state);
      if (afterEnd.includes(arrival) && !isEnded) {
        life.wait(3);
        await life.notice(group, { ...options, status: 'resolved' });
      }
      // The room reads that it fires still half an hour later.
      if (state === 'taken' && arrival !== 'late') life.wait(31);
      else if (state !== 'storm' && arrival !== 'late') life.wait(11);
      const before = await life.read(group);
      // A graver severity ends a mute.
      await arrive(life, arrival, group, options, state === 'muted' ? 'minor' : 'critical');
      const effect = effectOf(before, await life.read(group, before.room ?? life.announcements));
      const news = typeof cell.room === 'string' ? inRoom[cell.room] : undefined;
      found[arrival] = { ...effect, lines: effect.lines.length };
      // `critical` alone declares and raises, and it calls.
      const isGrave = arrival === 'graver' || (arrival.startsWith('returns') && state !== 'muted');
      const mayAct = cell.act === 'reopen' || (isGrave && (cell.act === 'declare' || cell.act === 'raise'));
      wanted[arrival] = {
        channel: typeof cell.channel === 'string' ? cell.channel : 'nothing',
        lines: news ? 1 : 0,
        act: mayAct ? cell.act : 'nothing',
        isCalled: mayAct && cell.act !== 'reopen',
      };
      if (news && effect.lines[0]) expect(effect.lines[0], `${state} × ${arrival}`).toMatch(news);
    }
    expect(found).toMatchObject(wanted);
  },
);
