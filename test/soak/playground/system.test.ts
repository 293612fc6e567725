import { join } from 'node:path';
import { expect, test } from 'vitest';
import { announceChannel } from '../../../playground/cast.ts';
import { pastIncidents } from '../../../playground/system/past-incidents.ts';
import { writeKept } from '../../../playground/system/system.ts';
import type { WireLine } from '../../../playground/workspace/protocol.ts';
import { freePort } from '../../support/free-port.ts';
import { makeFolder, openWorld } from './world.ts';

test('a declaration stands on the wire with all that follows from it, without a token, and in the journal', async () => {
  const { slack, told, types, declared, room, system, errors } = await openWorld();
  await types('/incident declare Search is down --now');
  await expect.poll(() => room('search-is-down')).toBeDefined();
  await expect.poll(() => system.journal.isIdle()).toBe(true);
  expect(await declared()).toEqual(['Search is down']);
  const find = (way: WireLine['way'], name: string) =>
    [...told.lines.values()].find(line => line.way === way && line.name === name);
  await expect.poll(() => find('webhook', 'grafana.incident.created')).toMatchObject({ outcome: 'ok' });
  expect(find('from Slack', '/incident')).toMatchObject({ outcome: 'ok', duration: expect.any(Number) });
  expect(find('Web API', 'conversations.create')).toMatchObject({ outcome: 'ok', response: { ok: true } });
  expect(find('RPC', 'IncidentsService.CreateIncident')).toMatchObject({
    outcome: 'ok',
    request: { title: 'Search is down' },
  });
  expect(JSON.stringify([...told.lines.values()])).not.toContain(slack.botToken);
  await expect
    .poll(() => told.journal?.intents.map(({ kind, state }) => `${kind}: ${state}`))
    .toContainEqual(expect.stringMatching(/declare.*: done$/));
  await expect.poll(() => told.journal?.deliveries).toMatchObject([{ what: 'command', state: 'done' }]);
  expect(errors).toEqual([]);
});

test('while the API is down, work is queued; then it takes effect once, though answers are lost and all comes twice', async () => {
  const { system, told, types, declared, room, bob } = await openWorld();
  await system.setFault('API down', true);
  await system.setFault('Deliver twice', true);
  expect(told.system?.faults).toEqual(['API down', 'Deliver twice']);
  await types('/incident declare Search is down --now');
  await expect.poll(() => room('search-is-down')?.members.has(bob.id)).toBe(true);
  const place = room('search-is-down')?.name ?? '';
  await types('/note It is the index', place);
  await types('/task add Build the index', place);
  await expect.poll(() => told.journal?.intents.filter(each => each.state !== 'done').length).toBeGreaterThanOrEqual(3);
  expect(await declared()).toEqual([]);
  await system.setFault('Answers lost', true);
  await system.setFault('API down', false);
  await expect.poll(declared).toEqual(['Search is down']);
  await system.setFault('Answers lost', false);
  await expect.poll(() => system.journal.isIdle()).toBe(true);
  expect(await declared()).toEqual(['Search is down']);
  const incidentID = String(pastIncidents.length + 1);
  const { incident } = await system.operator.IncidentsService.GetIncident({ incidentID });
  expect(incident.taskList.tasks.map(each => each.text)).toEqual(['Build the index']);
});

test('a bot that is killed in the middle goes on when it is started again, also after a start that was cut off', async () => {
  const { system, told, types, declared, errors } = await openWorld();
  await system.setFault('API slow', true);
  await types('/incident declare Search is down --now');
  await system.setFault('Bot killed', true);
  expect(told.system?.bot).toBe('stopped');
  expect((await types('/incident list')).failed).toBe('dispatch_failed');
  await expect.poll(() => told.journal?.intents[0]?.state).not.toBe('done');
  await system.setFault('API slow', false);
  await system.setFault('Bot killed', false);
  expect(told.system?.bot).toBe('running');
  await expect.poll(() => system.journal.isIdle()).toBe(true);
  expect(await declared()).toEqual(['Search is down']);
  expect((await types('/incident list')).failed).toBeUndefined();

  await system.setFault('Bot killed', true);
  const cutOff = expect(system.setFault('Bot killed', false)).rejects.toThrow('stopped before it was ready');
  await system.setFault('Bot killed', true);
  await cutOff;
  await system.setFault('Bot killed', false);
  expect(told.system?.bot).toBe('running');
  expect(errors).toEqual([]);
});

test('a reaction that is put while the bot is dead arrives once it is back; a command then is an error that the person sees', async () => {
  const { system, types, room, bob, errors } = await openWorld();
  await types('/incident declare Search is down --now');
  await expect.poll(() => system.journal.isIdle()).toBe(true);
  const place = room('search-is-down')?.name ?? '';
  const said = bob.say(place, 'The index is gone');
  await system.setFault('Bot killed', true);
  bob.react(said, ':memo:');
  await types('/note It is the index', place);
  expect(bob.sees(place).at(-1)?.text).toContain('failed');
  await system.setFault('Bot killed', false);
  const notes = async () => {
    const query = {
      incidentID: String(pastIncidents.length + 1),
      limit: 50,
      tag: '',
      orderDirection: 'ASC' as const,
      activityKind: ['userNote' as const],
    };
    const { activityItems } = await system.operator.ActivityService.QueryActivity({ query });
    return activityItems.map(each => each.body);
  };
  await expect.poll(notes).toEqual([expect.stringContaining('The index is gone')]);
  expect(errors).toEqual([]);
});

test('an alert that fires while the bot is dead waits, and is offered once when the bot is back; twelve at once are few messages', async () => {
  const { system, slack, told, errors } = await openWorld();
  const offers = () => slack.channel(announceChannel).messages.filter(message => message.botId === slack.botId);
  await system.setFault('Bot killed', true);
  system.watchdog.act('Fire');
  expect(told.system?.watchdog).toEqual({ firing: 1, waiting: 1 });
  await system.setFault('Bot killed', false);
  await expect.poll(() => told.system?.watchdog.waiting).toBe(0);
  await expect.poll(() => offers().length).toBe(1);
  const line = [...told.lines.values()].findLast(each => each.name === 'watchdog: firing');
  expect(line).toMatchObject({ way: 'webhook', outcome: 'ok' });
  system.watchdog.act('Repeat');
  system.watchdog.act('Storm');
  await expect.poll(() => told.system?.watchdog).toEqual({ firing: 12, waiting: 0 });
  system.watchdog.act('End all');
  await expect.poll(() => offers().filter(each => !each.text.includes('nobody had to act'))).toEqual([]);
  // As many as are no storm yet, and the storm.
  expect(offers().length).toBeLessThanOrEqual(6);
  expect(errors).toEqual([]);
});

test('a clock that is off makes the bot refuse Slack, and Slack’s limits hold its posts back until they are lifted', async () => {
  const { system, told, slack, types, room } = await openWorld();
  await system.setFault('Clock off', true);
  expect((await types('/incident list')).failed).toBe('dispatch_failed');
  await system.setFault('Clock off', false);
  await system.setFault('Slack rate-limits', true);
  await types('/incident declare Search is down --now');
  await expect.poll(() => [...told.lines.values()].some(line => line.outcome === 'ratelimited')).toBe(true);
  expect(room('search-is-down')).toBeUndefined();
  await system.setFault('Slack rate-limits', false);
  await expect.poll(() => room('search-is-down')?.messages.some(message => message.pinned)).toBe(true);
  const announced = slack.channel(announceChannel).messages.filter(message => message.botId === slack.botId);
  expect(announced).toHaveLength(1);
});

test('what is declared outlasts the system, and links keep their address', async () => {
  const folder = await makeFolder();
  await writeKept(join(folder, 'system.json'), { port: await freePort() });
  const first = await openWorld(folder);
  await first.types('/incident declare Search is down --now');
  await expect.poll(() => first.system.journal.isIdle()).toBe(true);
  const { pagesUrl } = first.system.facts();
  await first.system[Symbol.asyncDispose]();
  expect(first.system.bot.state).toBe('stopped');
  const second = await openWorld(folder);
  expect(await second.declared()).toEqual(['Search is down']);
  expect(second.system.facts().pagesUrl).toBe(pagesUrl);
  const page = await fetch(`${pagesUrl}/incidents`);
  expect(await page.text()).toContain('Search is down');
});
