import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { freePort } from '../../support/free-port.ts';

test('an address with sslmode brings no warning of the driver', async () => {
  const warnings: string[] = [];
  const keep = (warning: Error) => void warnings.push(warning.message);
  process.on('warning', keep);
  onTestFinished(() => void process.off('warning', keep));
  const port = await freePort();
  for (const mode of ['require', 'verify-ca', 'prefer', 'verify-full', 'no-verify', 'disable']) {
    const url = `postgres://muster:x@127.0.0.1:${port}/muster?sslmode=${mode}&application_name=m`;
    await expect(openDatabase(url), mode).rejects.toThrow('ECONNREFUSED');
  }
  // Warnings arrive in a later turn.
  await new Promise(resolve => setImmediate(resolve));
  expect(warnings).toEqual([]);
});
