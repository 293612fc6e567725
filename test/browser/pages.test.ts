import { pino } from 'pino';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveService } from '../../src/service/http/server.ts';
import { findWithAxe } from '../support/axe.ts';
import { chromiumPath, hasNoBrowser, openBrowser } from '../support/browser.ts';
import { openHostile } from '../support/hostile-pages.ts';
import { type KindOfIncident, kindsOfIncidents, type OpenedKinds, openKinds } from '../support/kinds-of-incidents.ts';
import { findFaintShapes, findShift, findTornWords } from '../support/page-looks.ts';
import type { OpenedService } from '../support/service.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see the pages in a browser`);
}

/** The screens of readers: a desk, a tablet, a phone, and a desk at 400 %. */
const widths = [1280, 768, 390, 320] as const;
const heights: Readonly<Record<(typeof widths)[number], number>> = { 1280: 860, 768: 1024, 390: 844, 320: 640 };
const looks = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  'forced colours': { forcedColors: 'active' },
} as const satisfies Record<string, BrowserContextOptions>;

describe.skipIf(hasNoBrowser)('the pages in a browser', { timeout: 180_000 }, () => {
  const stack = new AsyncDisposableStack();
  let browser: Browser;
  let root = '';
  let hostileRoot = '';
  let kinds: OpenedKinds;

  beforeAll(async () => {
    browser = await openBrowser();
    stack.defer(() => browser.close());
    const serve = async (opened: OpenedService) => {
      stack.use(opened);
      const server = stack.use(
        await serveService({ service: opened.service, port: 0, log: pino({ level: 'silent' }) }),
      );
      return `http://127.0.0.1:${server.port}`;
    };
    kinds = await openKinds();
    root = await serve(kinds);
    hostileRoot = await serve(await openHostile());
  }, 180_000);

  afterAll(() => stack.disposeAsync());

  const names = [
    ...kindsOfIncidents,
    'hostile',
    'list',
    'filtered list',
    'figures',
    'dashboards',
    'dashboard',
    'reference',
    'nowhere',
  ] as const;
  const toAddress = (name: (typeof names)[number]): string => {
    const others: Readonly<Record<Exclude<typeof name, KindOfIncident>, string>> = {
      hostile: `${hostileRoot}/a/grafana-irm-app/incidents/1`,
      list: `${root}/incidents`,
      'filtered list': `${root}/incidents?q=label%3Apayments&status=resolved`,
      figures: `${root}/incidents/figures`,
      dashboards: `${root}/dashboards`,
      dashboard: `${root}${kinds.dashboard}`,
      reference: `${root}/reference`,
      nowhere: `${root}/nope`,
    };
    return name in kinds.incidents
      ? `${root}${kinds.incidents[name as KindOfIncident]}`
      : others[name as keyof typeof others];
  };

  async function look<T>(address: string, how: BrowserContextOptions, see: (page: Page) => Promise<T>): Promise<T> {
    await using context = await browser.newContext(how);
    const page = await context.newPage();
    await page.goto(address, { waitUntil: 'load' });
    return await see(page);
  }

  const screen = (width: (typeof widths)[number]) => ({ viewport: { width, height: heights[width] } });

  describe.each(Object.entries(looks))('in %s', (_, how) => {
    test.each(names)('%s fits every width, with no word torn and no faint shape', async name => {
      const found: string[] = [];
      for (const width of widths) {
        await look(toAddress(name), { ...screen(width), ...how }, async page => {
          const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
          if (wide > width) found.push(`${width}: ${wide} px wide`);
          found.push(...(await findTornWords(page)).map(each => `${width}: torn ${each}`));
          found.push(...(await findFaintShapes(page)).map(each => `${width}: faint ${each}`));
        });
      }
      expect(found).toEqual([]);
    });
  });

  test.each(names)('axe finds nothing on the page of %s', async name => {
    const found: string[] = [];
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [1280, 'dark'],
      [390, 'light'],
      [320, 'dark'],
    ] as const)
      found.push(
        ...(await look(toAddress(name), { ...screen(width), colorScheme }, page =>
          findWithAxe(page, colorScheme === 'dark' ? 'colours' : 'all'),
        )),
      );
    expect(found).toEqual([]);
  });

  test.each(['300 items', '6,000 items', 'active'] as const)('nothing moves while %s comes', async name => {
    for (const width of [1280, 390] as const)
      expect(await look(toAddress(name), screen(width), findShift)).toBeLessThan(0.05);
  });

  test.each(kindsOfIncidents)('the first screen of %s says where it stands', async name => {
    for (const [width, end] of [
      [1280, 700],
      [390, 844],
    ] as const) {
      const box = await look(toAddress(name), screen(width), page =>
        page
          .getByRole('region', { name: 'Now' })
          .or(page.getByRole('region', { name: 'Outcome' }))
          .boundingBox(),
      );
      expect(box).not.toBeNull();
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(end);
    }
  });

  test.each(['light', 'dark'] as const)('a reader with a %s screen prints on white', async colorScheme => {
    await look(toAddress('300 items'), { ...screen(1280), colorScheme }, async page => {
      await page.emulateMedia({ media: 'print', colorScheme });
      const shown = await page.evaluate<[string, string]>(
        '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]',
      );
      expect(shown).toEqual(['rgb(255, 255, 255)', 'rgb(28, 35, 51)']);
      expect(await findFaintShapes(page)).toEqual([]);
    });
  });
});
