import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { toSeconds } from '../../../src/client/failure.ts';
import { nextDelay } from '../../../src/client/retry.ts';
import { type ErrorCode, errorCodes, RpcError } from '../../../src/contract/errors.ts';
import { deadlines } from '../../../src/deadlines.ts';
import { createRecorder, failureOf, scripted } from '../../support/client.ts';

const lost = () => new RpcError('unavailable', 'lost', { maybeApplied: true });
const refused = () => new RpcError('unavailable', 'refused', { maybeApplied: false });
const roles = () => ({ status: 200, body: { roles: [], error: '' } });
const task = () => ({ status: 200, body: { task: {}, taskList: {}, error: '' } });

const errors = fc
  .record({
    code: fc.constantFrom(...(Object.keys(errorCodes) as ErrorCode[])),
    maybeApplied: fc.boolean(),
    retryAfter: fc.option(fc.double({ min: 0, max: 1000, noNaN: true }), { nil: undefined }),
  })
  .map(({ code, maybeApplied, retryAfter }) => {
    return new RpcError(code, '', { maybeApplied, ...(retryAfter !== undefined && { retryAfter }) });
  });
const attempted = fc.record({
  attempt: fc.integer({ min: 1, max: 20 }),
  error: errors,
  effect: fc.constantFrom('read', 'set', 'create'),
  elapsed: fc.integer({ min: 0, max: 120_000 }),
  budget: fc.integer({ min: 0, max: 120_000 }),
  patience: fc.integer({ min: 0, max: 120_000 }),
  longestPause: fc.integer({ min: 1, max: 10_000 }),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map(value => () => value),
});

describe('when to try again', () => {
  test('never beyond budget and patience, never sooner than asked, never much later', () => {
    fc.assert(
      fc.property(attempted, given => {
        const delay = nextDelay(given);
        if (delay === undefined) return;
        const asked = (given.error.retryAfter ?? 0) * 1000;
        expect(given.elapsed + delay).toBeLessThan(given.budget);
        expect(delay).toBeGreaterThanOrEqual(asked);
        expect(asked).toBeLessThanOrEqual(given.patience);
        expect(delay).toBeLessThan(asked + given.longestPause);
      }),
    );
  });

  test('never a create that may have taken effect, never what cannot succeed', () => {
    fc.assert(
      fc.property(attempted, given => {
        if (nextDelay(given) === undefined) return;
        expect(given.error.retryable).toBe(true);
        expect(given.effect === 'create' && given.error.maybeApplied).toBe(false);
      }),
    );
  });

  test('it ends, whatever the budget', () => {
    fc.assert(
      fc.property(attempted, given => {
        expect(nextDelay({ ...given, attempt: 6 + given.attempt, budget: Number.MAX_SAFE_INTEGER })).toBeUndefined();
      }),
    );
  });

  test('the ceiling doubles', () => {
    const usual = {
      error: lost(),
      effect: 'read',
      elapsed: 0,
      budget: 60_000,
      patience: 0,
      random: () => 0.5,
    } as const;
    const at = (attempt: number, longestPause = 10_000) => nextDelay({ ...usual, attempt, longestPause });
    expect([1, 2, 3, 4, 5, 6].map(attempt => at(attempt))).toEqual([100, 200, 400, 800, 1600, undefined]);
    expect([1, 2, 3].map(attempt => at(attempt, 500))).toEqual([100, 200, 250]);
  });
});

test('Retry-After is seconds or a date', () => {
  const now = Date.parse('2026-03-02T14:00:00Z');
  expect(toSeconds('7', now)).toBe(7);
  expect(toSeconds('Mon, 02 Mar 2026 14:00:30 GMT', now)).toBe(30);
  expect(toSeconds('Mon, 02 Mar 2026 13:00:00 GMT', now)).toBe(0);
  expect(toSeconds(['3', '9'], now)).toBe(3);
  expect(toSeconds('soon', now)).toBeUndefined();
  expect(toSeconds('', now)).toBeUndefined();
  expect(toSeconds(undefined, now)).toBeUndefined();
});

describe('calls', () => {
  test('a Retry-After date is kept to', async () => {
    const recorder = createRecorder();
    const { transport } = scripted(
      () => ({ status: 429, body: { error: 'slow down' }, retryAfter: 'Mon, 02 Mar 2026 14:00:30 GMT' }),
      roles,
    );
    await createClient({ transport, ...recorder.options }).RolesService.GetRoles({});
    expect(recorder.waits).toEqual([30_100]);
  });

  test('a Retry-After beyond the budget fails at once, with the seconds to wait', async () => {
    const recorder = createRecorder();
    const { transport } = scripted(() => ({ status: 429, body: { error: 'slow down' }, retryAfter: '5' }));
    const client = createClient({ transport, ...recorder.options });
    const error = await failureOf(client.RolesService.GetRoles({}, { budget: 2500 }));
    expect(error).toMatchObject({ code: 'resource_exhausted', retryAfter: 5, message: 'slow down' });
    expect(recorder.waits).toEqual([]);
  });

  test('a create is repeated when it was certainly never sent, and not after that', async () => {
    const recorder = createRecorder();
    const { transport, sent } = scripted(refused, refused, lost);
    const client = createClient({ transport, ...recorder.options });
    const error = await failureOf(client.TasksService.AddTask({ incidentID: '7', text: 'x' }));
    expect(error).toMatchObject({ message: 'lost', maybeApplied: true });
    expect(sent()).toBe(3);
  });

  test('a set is repeated; if any attempt may have taken effect, so may the call', async () => {
    const recorder = createRecorder();
    const assign = { incidentID: '7', taskID: 't', userID: 'u' };
    const again = scripted(lost, task);
    await createClient({ transport: again.transport, ...recorder.options }).TasksService.UpdateTaskUser(assign);
    expect(again.sent()).toBe(2);
    const { transport } = scripted(lost, () => ({ status: 404, body: { error: 'gone' } }));
    const error = await failureOf(createClient({ transport, ...recorder.options }).TasksService.UpdateTaskUser(assign));
    expect(error).toMatchObject({ code: 'not_found', message: 'gone', maybeApplied: true });
  });

  test('a read changes nothing, whatever becomes of its answer', async () => {
    const { transport } = scripted(() => ({ status: 200, body: { roles: { a: 1 } } }));
    const client = createClient({ transport, ...createRecorder().options });
    const error = await failureOf(client.RolesService.GetRoles({}));
    expect(error).toMatchObject({ code: 'invalid_response', maybeApplied: false });
  });

  test('a doubtful refusal is repeated once; of a create only when the API says that it is a success with an error', async () => {
    const recorder = createRecorder();
    const add = (status: number) => {
      const { transport, sent } = scripted(() => ({ status, body: { error: 'no' } }));
      const client = createClient({ transport, ...recorder.options });
      return { sent, error: () => failureOf(client.TasksService.AddTask({ incidentID: '7', text: 'x' })) };
    };
    const success = add(200);
    expect(await success.error()).toMatchObject({ code: 'invalid_argument', message: 'no', maybeApplied: false });
    expect(success.sent()).toBe(2);
    const failure = add(500);
    expect(await failure.error()).toMatchObject({ code: 'invalid_argument', maybeApplied: true, isDoubtful: true });
    expect(failure.sent()).toBe(1);
  });

  test('a failure inside the API is repeated once; not when the API says it is for good', async () => {
    const recorder = createRecorder();
    const legacy = scripted(() => ({ status: 500, body: { error: 'Severity.FindOne: not found' } }));
    await failureOf(createClient({ transport: legacy.transport, ...recorder.options }).RolesService.GetRoles({}));
    expect(legacy.sent()).toBe(2);
    const problem = scripted(() => ({ status: 500, body: { error: 'no', retryable: false } }));
    await failureOf(createClient({ transport: problem.transport, ...recorder.options }).RolesService.GetRoles({}));
    expect(problem.sent()).toBe(1);
  });

  test('each attempt gets at most what is left of the budget', async () => {
    const recorder = createRecorder();
    const timeouts: number[] = [];
    const client = createClient({
      ...recorder.options,
      transport: async ({ timeout }) => {
        timeouts.push(timeout);
        recorder.pass(timeout);
        throw new RpcError('deadline_exceeded', 'slow', { maybeApplied: true });
      },
      attemptTimeout: 1000,
    });
    await failureOf(client.RolesService.GetRoles({}, { budget: 2500 }));
    expect(timeouts).toEqual([1000, 1000, 200]);
  });

  test('a transport that breaks its promise is still an RpcError', async () => {
    const transport = async () => {
      throw new TypeError('x is not a function');
    };
    const client = createClient({ transport, ...createRecorder().options });
    const error = await failureOf(client.TasksService.AddTask({ incidentID: '7', text: 'x' }));
    expect(error).toMatchObject({ code: 'internal', maybeApplied: true, cause: expect.any(TypeError) });
  });

  test.each(['with space', 'line\nbreak', 'ümlaut', ''])(
    'a token that no header can carry is refused unseen: %j',
    token => {
      const create = () => createClient({ ...deadlines.api, transport: scripted(roles).transport, token });
      expect(create).toThrow('The token has characters that a header cannot carry.');
    },
  );

  test('a plugin id that would change the path is refused', () => {
    expect(() => createClient({ ...deadlines.api, transport: scripted(roles).transport, pluginID: '../x' })).toThrow(
      TypeError,
    );
  });
});
