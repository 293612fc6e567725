import { expect, test } from 'vitest';
import { openWire } from '../../../../playground/system/wire.ts';
import type { WireLine } from '../../../../playground/workspace/protocol.ts';

const request = { way: 'RPC', name: 'IncidentsService.GetIncident', request: { incidentID: '7' } } as const;

test('a line is told when its request begins and again, under the same number, when it ends', () => {
  const wire = openWire([]);
  const told: WireLine[] = [];
  wire.follow(line => told.push(line));
  const end = wire.begin(request);
  wire.begin(request);
  end({ outcome: '404', isFailure: true, response: { error: 'not found' } });
  end({ outcome: 'ok', isFailure: false, response: undefined });
  expect(told.map(({ id, outcome }) => [id, outcome])).toEqual([
    [1, undefined],
    [2, undefined],
    [1, '404'],
  ]);
  expect(told[2]).toMatchObject({ isFailure: true, response: { error: 'not found' }, duration: expect.any(Number) });
  expect(wire.lines).toEqual([told[2], told[1]]);
});

test('the last 500 lines are kept', () => {
  const wire = openWire([]);
  const end = wire.begin(request);
  for (let each = 0; each < 500; each += 1) wire.begin({ ...request, request: each });
  end({ outcome: 'ok', isFailure: false, response: undefined });
  expect(wire.lines).toHaveLength(500);
  expect(wire.lines[0]?.id).toBe(2);
});

test('secrets do not stand on the wire, and long JSON is cut', () => {
  const wire = openWire(['glsa_secret']);
  const end = wire.begin({ ...request, request: { args: ['Bearer glsa_secret'] } });
  end({ outcome: 'ok', isFailure: false, response: 'x'.repeat(30_000) });
  expect(wire.lines[0]?.request).toEqual({ args: ['Bearer [secret]'] });
  expect(wire.lines[0]?.response).toMatch(/^"x{19999} … \(10002 more characters\)$/);
});

const ok = { outcome: 'ok', isFailure: false, response: { found: 1 } };
const seen = (lines: readonly WireLine[]) => lines.map(({ name, times, outcome }) => [name, times, outcome]);

test('requests alike in a row are counted in one line, until one ends otherwise', () => {
  const wire = openWire([]);
  const told = new Map<number, WireLine>();
  wire.follow(line => told.set(line.id, line));
  for (const _ of [1, 2, 3]) wire.begin(request)(ok);
  wire.begin(request)({ outcome: 'not reached', isFailure: true, response: undefined });
  wire.begin(request)({ outcome: 'not reached', isFailure: true, response: undefined });
  wire.begin({ ...request, request: { incidentID: '8' } })(ok);
  const { name } = request;
  expect(seen(wire.lines)).toEqual([
    [name, 3, 'ok'],
    [name, 2, 'not reached'],
    [name, undefined, 'ok'],
  ]);
  // A page that followed shows the same.
  expect([...told.values()]).toEqual(wire.lines);
});

test('a request that comes while one like it is open has a line of its own', () => {
  const wire = openWire([]);
  const end = wire.begin(request);
  wire.begin(request)(ok);
  end(ok);
  expect(seen(wire.lines)).toEqual([
    [request.name, undefined, 'ok'],
    [request.name, undefined, 'ok'],
  ]);
});

test.each([
  ['auth.test', {}, true],
  ['IncidentsService.GetHomescreenVersion', {}, true],
  ['IncidentsService.UpdateIncidentIsDrill', { incidentID: '0', isDrill: false }, true],
  ['IncidentsService.UpdateIncidentIsDrill', { incidentID: '7', isDrill: false }, false],
  ['IncidentsService.GetIncident', { incidentID: '20' }, false],
  ['chat.postMessage', { channel: 'C1' }, false],
  ['IncidentsService.CreateIncident', { title: '0' }, false],
  ['/incident', 'incidentID=0', false],
  ['GET /healthz', undefined, false],
  ['users.info', null, false],
])('whether nobody caused %s with %j is %j', (name, body, isRoutine) => {
  const wire = openWire([]);
  wire.begin({ ...request, name, request: body });
  expect(wire.lines[0]?.isRoutine ?? false).toBe(isRoutine);
});
