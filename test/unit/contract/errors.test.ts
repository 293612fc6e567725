import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { errorCodes, isTransient, RpcError, toErrorCode } from '../../../src/contract/errors.ts';

describe('RpcError', () => {
  test('has words for people in `message`, and method and code before them as a line of a log', () => {
    const error = new RpcError('not_found', 'incident 7 was not found', { method: 'IncidentsService.GetIncident' });
    expect(error.message).toBe('incident 7 was not found');
    expect(String(error)).toBe('IncidentsService.GetIncident: not_found: incident 7 was not found');
    expect(String(new RpcError('conflict', 'taken'))).toBe('conflict: taken');
  });

  test('does not show the body to a logger that enumerates it', () => {
    const error = new RpcError('internal', 'failed', { body: 'what somebody typed' });
    expect(error.body).toBe('what somebody typed');
    expect(JSON.stringify(error) + inspect(error)).not.toContain('what somebody typed');
  });

  test('is retryable as the table says, unless the API said otherwise', () => {
    expect(new RpcError('unavailable', '').retryable).toBe(true);
    expect(new RpcError('internal', '', { retryable: false }).retryable).toBe(false);
  });
});

test('each code that travels is read back from its status', () => {
  for (const code of Object.keys(errorCodes) as (keyof typeof errorCodes)[]) {
    if (code === 'canceled' || code === 'invalid_response') continue;
    expect(toErrorCode(errorCodes[code].status)).toBe(code);
  }
});

describe('a failure passes without anybody changing the request', () => {
  test('when the API is away, slow, busy or broken, or something else answered, or the call was given up', () => {
    const codes = Object.keys(errorCodes) as (keyof typeof errorCodes)[];
    expect(codes.filter(code => isTransient(new RpcError(code, '')))).toEqual([
      'resource_exhausted',
      'internal',
      'unavailable',
      'deadline_exceeded',
      'canceled',
      'invalid_response',
    ]);
  });

  test('not when the API says that it failed inside for good', () => {
    expect(isTransient(new RpcError('internal', '', { retryable: false }))).toBe(false);
  });

  test('not when it is no failure of the API', () => {
    expect(isTransient(new Error('unavailable'))).toBe(false);
  });
});
