import { expect, test } from 'vitest';
import { declare, get, openPages } from '../../../support/pages.ts';

test('an address that hides its site behind an @ is shown and no link', async () => {
  await using opened = await openPages();
  const attachURL = 'https://grafana.example.com@evil.example/login';
  const incidentID = await declare(opened, '09:00', { title: 'Phished', attachURL, attachCaption: 'Sign in' });
  const { text } = await get(opened, `/a/grafana-irm-app/incidents/${incidentID}`);
  expect(text).toContain('evil.example');
  expect(text).not.toMatch(/href="[^"]*evil\.example/);
});
