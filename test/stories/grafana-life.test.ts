import { expect, onTestFinished, test } from 'vitest';
import { openGrafana } from '../support/grafana/grafana.ts';
import { type Oddities, plain } from '../support/grafana/oddities.ts';
import { openIncident } from '../support/incident-room.ts';

const names = Object.keys(plain) as readonly (keyof Oddities)[];
const all = { ...Object.fromEntries(names.map(name => [name, true])), refusals: 'status 200' } as Oddities;
const lives: readonly (readonly [name: string, oddities: Oddities])[] = [
  ['with none', plain],
  ['with all', all],
  ...names.map(name => [`with all but ${name}`, { ...all, [name]: plain[name] }] as const),
];

test.each(lives)(
  'a short life in front of a Grafana %s of its oddities: both sides have the same facts',
  async (_, oddities) => {
    let team: { readonly bob: string; readonly teamId: string } | undefined;
    const grafana = await openGrafana({
      subPath: '/grafana',
      oddities,
      users: () =>
        team
          ? [
              {
                ...{ userID: 'grafana-incident:user-b0b', name: 'Bob' },
                email: '',
                slackUserID: team.bob,
                slackTeamID: team.teamId,
              },
            ]
          : [],
    });
    onTestFinished(() => grafana[Symbol.asyncDispose]());
    grafana.saveDashboard({ uid: 'checkout', title: 'Checkout' });
    const opened = await openIncident({
      settings: grafana.settings,
      flags: '--severity minor --label eu',
      prepare: async (_, person) => {
        team = { bob: person.id, teamId: person.teamId };
      },
    });
    const { type, alice, bob, home, place, publicLines, typeAndReadAll } = opened;
    const [held] = grafana.incidents;
    if (!held) throw new Error('There is no incident');
    const notes = () => held.items.filter(each => each.activityKind === 'userNote').map(each => each.body);
    const noted = (words: string) => notes().filter(each => each.includes(words)).length;

    await type('/note add see https://status.example.com/7 for theirs');
    await type('/task add fail over @bob');
    await type('/role assign @bob commander');
    await type('/role assign me investigator', bob);
    const link = await type(`/dash link ${grafana.url}/d/checkout/checkout last 3 hours`);
    await type('/incident update we fail over to the replica');
    await type('/incident severity critical');
    const own = held.tasks.filter(each => !each.immutable);
    expect(await type('/task list me', bob)).toContain('fail over');
    await type(`/task done ${held.tasks.length}`, bob);
    await type('/incident started 30m ago');
    await type('/incident resolve the cache was full --now');
    await place.quiet();

    // What the server holds.
    expect(held).toMatchObject({ title: 'Checkout answers 500', status: 'resolved', isDrill: false });
    expect(held.severity.toLowerCase()).toBe('critical');
    expect(held.labels.map(each => each.label)).toEqual(['eu']);
    expect(own.map(each => [each.text, each.status])).toEqual([['fail over', 'done']]);
    const holders = held.assignments.filter(each => each.user.userID !== grafana.account.userID);
    expect(holders.map(each => each.role.name)).toEqual(['commander', 'investigator']);
    expect(new Set([...holders.map(each => each.user.userID), own[0]?.assignedUser?.userID]).size).toBe(1);
    for (const words of ['see https', 'we fail over', 'the cache was full', '/goto/'])
      expect(noted(words), words).toBe(1);
    expect(Date.parse(held.createdTime) - Date.parse(held.incidentStart)).toBeGreaterThan(29 * 60_000);

    // What people read.
    const card = place.reads(alice, home.id)[0] ?? '';
    const status = await type('/incident status', bob);
    for (const read of [card, status]) {
      expect(read).toContain('Checkout answers 500');
      expect(read).toMatch(/critical/i);
      expect(read).toContain('Resolved');
      expect(read).toMatch(/ommander.*@bob/);
      expect(read).not.toMatch(/ in \d+ (?:h|min)/);
    }
    expect(card).toContain('by @alice');
    expect(card).toContain('the cache was full');
    expect(link).toMatch(/Checkout .*\/grafana\/goto\//);
    expect(link).not.toContain('/grafana/grafana/');
    const timeline = await typeAndReadAll('/incident timeline', bob);
    for (const words of ['status.example.com', 'we fail over', 'the cache was full']) {
      expect(timeline.split(words).length - 1, words).toBe(1);
    }
    expect(timeline, 'whose notes are').not.toMatch(/:memo:.*Service Account/);
    expect(await type('/task list')).toContain('fail over');
    expect(await type('/role list me', bob)).toContain('investigator');
    expect(await type('/incident list me')).toContain('Checkout answers 500');
    expect(publicLines().join('\n')).not.toContain('Outside Slack');

    // A refusal is one, in whatever form.
    expect(await type('/incident list nonsense:x')).toMatch(/nonsense/);
    expect(grafana.taken.filter(each => each.beyond.some(member => !member.startsWith('fieldValues')))).toEqual([]);
  },
);
