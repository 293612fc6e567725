import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ana, ben, declare, get, openPages, say, tellMany } from '../../../support/pages.ts';
import type { OpenedService } from '../../../support/service.ts';

/** Declares an incident that takes so many minutes. */
async function tell(opened: OpenedService, when: string, minutes: number, incident: Record<string, unknown>) {
  const incidentID = await declare(opened, when, incident);
  const ended = new Date(Date.parse(when) + minutes * 60_000).toISOString();
  await say(opened, ended, ben, 'IncidentsService.UpdateStatus', { incidentID, status: 'resolved' });
  return incidentID;
}

/** The cells of the tables of a page, row by row. */
function rows(page: string): string[] {
  return [...page.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map(match =>
    (match[1] ?? '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

test('an incident counts by the worst severity that it ever had', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '08:00', { title: 'Was critical', severity: 'minor' });
  for (const severity of ['critical', 'major'])
    await say(opened, '08:30', ana, 'IncidentsService.UpdateSeverity', { incidentID, severity });
  await declare(opened, '08:00', { title: 'Ever major', severity: 'major' });
  const { text } = await get(opened, '/incidents/figures');
  expect(rows(text)).toContain('critical 1 1 – –');
  expect(rows(text)).toContain('major 1 1 – –');
  const found = async (query: string) =>
    [...(await get(opened, `/incidents?q=${query}`)).text.matchAll(/class="name"[^>]*>([^<]+)</g)].map(
      match => match[1],
    );
  expect(await found('worst:critical')).toEqual(['Was critical']);
  expect(await found('worst:major')).toEqual(['Ever major']);
  expect(await found('severity:major')).toEqual(['Was critical', 'Ever major']);
  expect(rows((await get(opened, '/incidents/figures?severity=critical')).text)).toContain('critical 1 1 – –');
});

test('nine of ten are told from five incidents on, and labels of different keys apart', async () => {
  await using opened = await openPages();
  const labels = [{ key: 'service', label: 'api' }];
  for (let index = 0; index < 4; index += 1) await tell(opened, '2026-09-14T08:00:00Z', 60, { title: 'A', labels });
  await declare(opened, '08:00', { title: 'B', labels: [{ key: 'team', label: 'api' }] });
  const four = rows((await get(opened, '/incidents/figures')).text);
  expect(four).toContain('service:api 4 0 1 h –');
  expect(four).toContain('team:api 1 1 – –');
  await tell(opened, '2026-09-14T09:00:00Z', 60, { title: 'A', labels });
  expect(rows((await get(opened, '/incidents/figures')).text)).toContain('service:api 5 0 1 h 1 h');
});

test('a week far beyond the others stands at the edge in words, and does not flatten them', async () => {
  await using opened = await openPages();
  for (let week = 0; week < 8; week += 1) {
    const when = new Date(Date.parse('2026-07-21T08:00:00Z') + week * 7 * 86_400_000).toISOString();
    await tell(opened, when, week === 3 ? 6 * 1440 : 60, { title: `No ${week}` });
  }
  opened.now = new Date('2026-09-19T08:00:00Z');
  const { text } = await get(opened, '/incidents/figures');
  expect(text).toContain('↑ 6 d');
  const heights = [...text.matchAll(/<circle cx="[^"]+%" cy="([^"]+)"/g)].map(match => Number(match[1]));
  expect(heights).toHaveLength(7);
  for (const each of heights) expect(each).toBeLessThan(100);
  expect(text).not.toContain('<polyline');
  expect(text).toContain('so far');
});

test('each bar, row and name leads to a list with as many incidents as it counts', async () => {
  await using opened = await openPages();
  await tellMany(opened);
  for (const path of [
    '/incidents/figures',
    '/incidents/figures?by=month&q=mail+OR+login&status=resolved&severity=minor',
  ]) {
    const { text } = await get(opened, path);
    const counted = [
      ...text.matchAll(/<th scope="row"[^>]*><a href="([^"]+)">[\s\S]*?<td>(\d+)<\/td>/g),
      ...text.matchAll(/<a href="([^"]+)"><title>[^<]*: (\d+)<\/title>/g),
    ];
    expect(counted.length).toBeGreaterThan(10);
    for (const [, address = '', count = ''] of counted) {
      const page = (await get(opened, address.replaceAll('&amp;', '&'))).text;
      expect([address, / of (\d+)<\/span>/.exec(page)?.[1]]).toEqual([address, count]);
    }
  }
});

test('each chip says how many incidents its figures count', async () => {
  await using opened = await openPages();
  await tellMany(opened);
  const incidentID = await declare(opened, '08:00', { title: 'mail once critical', severity: 'critical' });
  await say(opened, '08:30', ana, 'IncidentsService.UpdateSeverity', { incidentID, severity: 'minor' });
  for (const query of ['', '?q=mail&severity=critical', '?status=resolved&by=month']) {
    const { text } = await get(opened, `/incidents/figures${query}`);
    const chips = [...text.matchAll(/<a href="([^"]+)"[^>]*>[^<]+ <span>(\d+)<\/span>/g)];
    expect(chips).toHaveLength(8);
    for (const [, address = '', count = ''] of chips) {
      const page = (await get(opened, address.replaceAll('&amp;', '&'))).text;
      const total = /<dt>incidents<\/dt><dd>(\d+)</.exec(page)?.[1] ?? '0';
      expect([address, total]).toEqual([address, count]);
    }
  }
});

test('each colour of a severity is plain on its card and behind words, in both themes', () => {
  const base = readFileSync(new URL('../../../../src/service/pages/style/base.css', import.meta.url), 'utf8');
  const luminance = (colour = '') => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/[0-9a-f]{2}/gi) ?? []).map(part => {
      const share = Number.parseInt(part, 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  // The first is for light pages, the second for dark ones.
  const both = (name: string) => {
    const found = new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\);`).exec(base);
    return [luminance(found?.[1]), luminance(found?.[2])] as const;
  };
  const surfaces = both('surface');
  for (const name of ['quiet', 'red', 'orange', 'yellow', 'teal']) {
    for (const [theme, colour] of both(name).entries()) {
      const surface = surfaces[theme] ?? 0;
      const contrast = Math.max(colour, surface) / Math.min(colour, surface);
      expect(contrast, `${name} of theme ${theme}`).toBeGreaterThanOrEqual(4.5);
    }
  }
});
