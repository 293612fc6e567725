import { expect, test } from 'vitest';
import type { Person } from '../../../playground/fake-slack/fake-slack.ts';
import { declareNow } from '../../support/incident-room.ts';
import { openInstalledSlack, openWorkplace } from '../../support/workplace.ts';

/** How large a workspace is. */
interface Size {
  readonly people: number;
  readonly groups: number;
}

const small: Size = { people: 10, groups: 3 };
const large: Size = { people: 100_000, groups: 2000 };

/** What a workspace of a size costs: the calls of Slack by method, of each step. */
async function costsOf({ people, groups }: Size) {
  const slack = await openInstalledSlack();
  const alice = slack.addPerson({ name: 'alice' });
  const onDuty = [slack.addPerson({ name: 'carol' }), slack.addPerson({ name: 'dave' })];
  for (let each = 0; each < people; each += 1) slack.addPerson({ name: `person-${each}` });
  for (let each = 0; each < groups; each += 1) slack.addUserGroup({ handle: `group-${each}` });
  // It is the last by its name.
  slack.addUserGroup({ handle: 'zz-sre', members: onDuty });
  const general = slack.addChannel({ name: 'general', members: [alice, ...onDuty], botIsMember: true });
  let from = slack.calls.length;
  const costs: Record<string, Readonly<Record<string, number>>> = {};
  const note = (step: string) => {
    const methods = Map.groupBy(slack.calls.slice(from), each => each.method);
    costs[step] = Object.fromEntries([...methods].map(([method, some]) => [method, some.length]));
    from = slack.calls.length;
  };
  const place = await openWorkplace({ slack, settings: { CALL: 'critical:@ZZ-sre' } });
  note('start');
  const room = await declareNow(place, alice, general, 'Checkout answers 500');
  note('declare');
  const type = async (line: string, person: Person = alice) => {
    await person.command(room, line);
    await place.quiet();
    note(line);
    return place.lastRead(person, room.id);
  };
  expect(await type('/incident oncall')).toContain('@ZZ-sre (severity critical): carol, dave');
  await type('/incident call');
  const form = JSON.stringify(alice.view);
  await type('/incident call @zz-sre it burns');
  for (const person of onDuty) expect(place.reads(person, slack.openDm(person).id)).toHaveLength(1);
  await type('/incident call @nobody');
  return { costs, form };
}

test(`a workspace of ${large.people} people and ${large.groups} groups starts and calls with the calls of a small one`, async () => {
  const few = await costsOf(small);
  const many = await costsOf(large);
  const { declare: declaring, ...acts } = many.costs;
  const { declare: _, ...usual } = few.costs;
  expect(acts).toEqual(usual);
  expect(acts.start).toEqual({ 'auth.test': 1 });
  // Who is a guest is read once in an hour, a thousand on a page (docs/decisions.md).
  expect(declaring?.['users.list']).toBe(101);
  // The groups of the setting come first, and what is left out is named with the way to it.
  const labels = [...many.form.matchAll(/"text":"(@[^"]+)"/g)].map(([, label]) => label);
  expect(labels).toHaveLength(100);
  expect(labels[0]).toBe('@zz-sre');
  expect(many.form).toContain('100 of 2001 groups');
  expect(few.form).not.toContain('These are');
});
