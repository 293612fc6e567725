import { describe, expect, test } from 'vitest';
import { Breaker, createClient } from '../../../src/client/client.ts';
import { RpcError } from '../../../src/contract/errors.ts';
import { createRecorder, failureOf, scripted } from '../../support/client.ts';

const refused = () => new RpcError('unavailable', 'The API at x refused the connection.', { maybeApplied: false });
const roles = () => ({ status: 200, body: { roles: [], error: '' } });
const gone = () => ({ status: 404, body: { error: 'no such role' } });

describe('the breaker', () => {
  test('opens after some failures in a row, lets one call through after a while, and closes when it is answered', () => {
    const breaker = new Breaker({ failures: 2, coolDown: 1000 });
    expect(breaker.failed(0, 'down')).toBe(false);
    expect(breaker.enter(0)).toBeUndefined();
    expect(breaker.failed(10, 'down')).toBe(true);
    expect(breaker.state(10)).toEqual({ state: 'open', failingSince: 0, lastFailure: 'down' });
    expect(breaker.enter(500)?.code).toBe('unavailable');
    expect(breaker.enter(1010)).toBeUndefined();
    expect(breaker.state(1010).state).toBe('half-open');
    expect(breaker.enter(1010)?.code).toBe('unavailable');
    expect(breaker.failed(1020, 'still down')).toBe(false);
    expect(breaker.enter(1500)?.code).toBe('unavailable');
    expect(breaker.enter(2020)).toBeUndefined();
    breaker.answered(2020);
    expect(breaker.enter(2021)).toBeUndefined();
    expect(breaker.state(2021)).toEqual({ state: 'closed', failingSince: undefined, lastFailure: undefined });
  });

  test('a probe that was given up leaves the place to another', () => {
    const breaker = new Breaker({ failures: 1, coolDown: 1000 });
    breaker.failed(0, 'down');
    expect(breaker.enter(1000)).toBeUndefined();
    breaker.dropped();
    expect(breaker.enter(1001)).toBeUndefined();
  });

  test('lets one call through before its time when somebody asks for it', () => {
    const breaker = new Breaker({ failures: 1, coolDown: 1000 });
    breaker.failed(0, 'down');
    expect(breaker.enter(10)?.code).toBe('unavailable');
    breaker.hurry(10);
    expect(breaker.enter(10)).toBeUndefined();
    expect(breaker.enter(10)?.code).toBe('unavailable');
    breaker.failed(20, 'down');
    expect(breaker.enter(1010)?.code).toBe('unavailable');
    expect(breaker.enter(1020)).toBeUndefined();
    breaker.answered(1020);
    breaker.hurry(1030);
    expect(breaker.state(1030).state).toBe('closed');
  });

  test('one operation that fails just after others were answered opens it only when it goes on', () => {
    const breaker = new Breaker({ failures: 2, coolDown: 1000 });
    breaker.answered(0);
    const one = [100, 200, 300, 400, 500, 600].map(at => breaker.failed(at, 'blocked', 'AddTask'));
    expect(one).toEqual([false, false, false, false, false, true]);
    breaker.answered(700);
    breaker.failed(800, 'down', 'AddTask');
    expect(breaker.failed(900, 'down', 'GetIncident'), 'two operations: the API is away').toBe(true);
  });

  test('an answer in between starts the count anew', () => {
    const breaker = new Breaker({ failures: 2 });
    breaker.failed(0, 'down');
    breaker.answered(1);
    expect(breaker.failed(2, 'down')).toBe(false);
  });
});

describe('a client whose API is down', () => {
  test('fails at once with since when and why, and recovers by itself', async () => {
    const recorder = createRecorder();
    const { transport, sent } = scripted(refused, refused, refused, refused, refused, roles);
    const client = createClient({ transport, ...recorder.options });
    const first = await failureOf(client.RolesService.GetRoles({}));
    expect(first.message).toContain('has not answered since 2026-03-02T14:00:00.000Z');
    expect(first.message).toContain('refused the connection');
    expect(client.health()).toMatchObject({ state: 'open' });
    expect(recorder.lines.filter(line => line.startsWith('client: the API does not answer'))).toHaveLength(1);

    const second = await failureOf(client.RolesService.GetRoles({}));
    expect(second).toMatchObject({ code: 'unavailable', maybeApplied: false, method: 'RolesService.GetRoles' });
    expect(recorder.calls.at(-1)).toMatchObject({ outcome: 'unavailable', attempts: 0, ms: 0 });
    expect(sent()).toBe(5);

    recorder.pass(10_000);
    await client.RolesService.GetRoles({});
    expect(client.health()).toEqual({ state: 'closed', failingSince: undefined, lastFailure: undefined });
  });

  test('a refusal is an answer', async () => {
    const { transport } = scripted(gone);
    const client = createClient({ transport, ...createRecorder().options, breaker: { failures: 1 } });
    for (let call = 0; call < 3; call += 1) {
      expect((await failureOf(client.RolesService.DeleteRole({ roleID: 1 }))).code).toBe('not_found');
    }
    expect(client.health().state).toBe('closed');
  });

  test('a deadline that the caller made short does not count', async () => {
    const slow = () => new RpcError('deadline_exceeded', 'slow', { maybeApplied: true });
    const { transport } = scripted(slow);
    const client = createClient({ transport, ...createRecorder().options, breaker: { failures: 1 } });
    await failureOf(client.TasksService.AddTask({ incidentID: '7', text: 'x' }, { budget: 1000 }));
    expect(client.health().state).toBe('closed');
    await failureOf(client.TasksService.AddTask({ incidentID: '7', text: 'x' }));
    expect(client.health().state).toBe('open');
  });
});
