import { expect, test } from 'vitest';
import { openWire } from '../../../../src/playground/system/wire.ts';
import type { WireLine } from '../../../../src/playground/workspace/protocol.ts';

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
  for (let each = 0; each < 500; each += 1) wire.begin(request);
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
