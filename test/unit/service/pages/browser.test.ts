import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpServer, serveService } from '../../../../src/service/http/server.ts';
import { chromiumPath, hasNoBrowser, openBrowser } from '../../../support/browser.ts';
import { openHostile } from '../../../support/hostile-pages.ts';
import { ana, declare, openPages, saveDashboard, say, tellLong, tellMany, tellShort } from '../../../support/pages.ts';

const phone = { viewport: { width: 390, height: 844 } };
const desktop = { viewport: { width: 1280, height: 900 } };

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see the pages in a browser`);
}

describe.skipIf(hasNoBrowser)('in a browser', () => {
  const stack = new AsyncDisposableStack();
  let browser: Browser;
  let paths: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    browser = await openBrowser();
    stack.defer(() => browser.close());
    const log = pino({ level: 'silent' });
    const open = async (opened: Awaited<ReturnType<typeof openPages>>): Promise<string> => {
      stack.use(opened);
      const server: HttpServer = stack.use(await serveService({ service: opened.service, port: 0, log }));
      return `http://127.0.0.1:${server.port}`;
    };
    const opened = await openPages();
    const root = await open(opened);
    const long = await tellLong(opened);
    await tellMany(opened);
    const title = 'An unusually_long_title_without_a_place_to_break '.repeat(10).trim();
    const drill = await declare(opened, '08:30', { title, isDrill: true, labels: [{ label: 'x'.repeat(100) }] });
    const word = 'w'.repeat(3000);
    await say(opened, '08:31', ana, 'ActivityService.AddActivity', {
      incidentID: drill,
      activityKind: 'userNote',
      body: `${word} https://example.com/${word}`,
    });
    await say(opened, '08:31', ana, 'TasksService.AddTask', { incidentID: drill, text: 't'.repeat(300) });
    const short = await tellShort(opened);
    const dashboard = await saveDashboard(opened);
    const hostile = await openHostile();
    const evil = await open(hostile);
    const empty = await open(await openPages());
    const incident = (id: string) => `${root}/a/grafana-irm-app/incidents/${id}`;
    paths = {
      'a short incident': incident(short),
      'a long incident': incident(long),
      'a drill with a long title': incident(drill),
      'the list': `${root}/incidents`,
      'a list of nothing': `${empty}/incidents`,
      'figures by week': `${root}/incidents/figures`,
      'figures by month': `${root}/incidents/figures?by=month`,
      'figures of nothing': `${empty}/incidents/figures`,
      'a dashboard': `${root}${dashboard}?from=1789808400000&to=1789812000000&var-pod=a`,
      'a folder': `${root}/dashboards/f/shop`,
      'the reference': `${root}/reference`,
      'a hostile incident': `${evil}${hostile.paths[0]}`,
      'a hostile list': `${evil}/incidents`,
      'hostile figures': `${evil}/incidents/figures`,
      'a hostile dashboard': `${evil}/d/evil-board`,
      'a hostile folder': `${evil}/dashboards/f/evil`,
    };
  });

  afterAll(() => stack.disposeAsync());

  type Size = typeof phone;
  /** A page of each size, which the tests share: what a browser starts for a fresh one costs more than what it shows. */
  const opened = new Map<Size, Page>();

  /** Opens a page in a browser of that size, looks, and fails when the browser complained of anything. */
  async function look(name: string, size: Size, see: (page: Page) => Promise<void>): Promise<void> {
    const page = opened.get(size) ?? (await browser.newPage(size));
    opened.set(size, page);
    await lookIn(page, name, see);
  }

  async function lookIn(page: Page, name: string, see: (page: Page) => Promise<void>): Promise<void> {
    const path = paths[name] ?? '';
    const complaints: string[] = [];
    page.on('console', message => complaints.push(message.text()));
    page.on('pageerror', error => complaints.push(String(error)));
    page.on('dialog', dialog => complaints.push(dialog.message()));
    page.on('requestfailed', request => complaints.push(`failed: ${request.url()}`));
    page.on('request', request => {
      if (!request.url().startsWith(new URL(path).origin)) complaints.push(`asked for ${request.url()}`);
    });
    try {
      const response = await page.goto(path);
      expect(response?.status()).toBe(200);
      await see(page);
      expect(complaints).toEqual([]);
    } finally {
      page.removeAllListeners();
    }
  }

  const ofRoot = (page: Page, property: 'backgroundColor' | 'color') =>
    page.evaluate<string>(`getComputedStyle(document.body).${property}`);

  test.each([
    'a short incident',
    'a long incident',
    'a drill with a long title',
    'the list',
    'a list of nothing',
    'figures by week',
    'figures by month',
    'figures of nothing',
    'a dashboard',
    'a folder',
    'the reference',
    'a hostile incident',
    'a hostile list',
    'hostile figures',
    'a hostile dashboard',
    'a hostile folder',
  ])('%s fits a phone and a desk, has its pictures, and brings no complaint', async name => {
    for (const size of [phone, desktop]) {
      await look(name, size, async page => {
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
          size.viewport.width,
        );
        const pictures = await page.evaluate<{ source: string; drawn: boolean }[]>(
          '[...document.images].map(image => ({ source: image.currentSrc, drawn: image.complete && image.naturalWidth > 0 }))',
        );
        expect(pictures.filter(each => !each.drawn)).toEqual([]);
        const isNarrow = size === phone;
        const plots = pictures.filter(each => each.source.includes('.svg?'));
        expect(plots.filter(each => each.source.includes('size=narrow') !== isNarrow)).toEqual([]);
        expect(await page.evaluate<boolean>('"pwned" in window || document.scripts.length > 0')).toBe(false);
      });
    }
  });

  test('colours and pictures follow the reader’s scheme', async () => {
    const seen: Record<string, { background: string; ink: string; picture: string }> = {};
    await look('a short incident', desktop, async page => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const picture = await page.evaluate<string>('getComputedStyle(document.querySelector("svg .response")).fill');
        seen[colorScheme] = {
          background: await ofRoot(page, 'backgroundColor'),
          ink: await ofRoot(page, 'color'),
          picture,
        };
      }
      await page.emulateMedia({ colorScheme: null });
    });
    expect(seen.light).toMatchObject({ background: 'rgb(246, 247, 250)', ink: 'rgb(28, 35, 51)' });
    expect(seen.dark).toMatchObject({ background: 'rgb(15, 19, 27)', ink: 'rgb(230, 233, 242)' });
    expect([seen.light?.picture, seen.dark?.picture]).toEqual(['rgb(52, 81, 199)', 'rgb(157, 179, 255)']);
  });

  test('on paper it is light, without what one can press, and with all of a long note', async () => {
    await look('a drill with a long title', desktop, async page => {
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      expect(await ofRoot(page, 'backgroundColor')).toBe('rgb(255, 255, 255)');
      expect(await ofRoot(page, 'color')).toBe('rgb(28, 35, 51)');
      for (const control of ['.bar', '.switch', '.skip'])
        expect(await page.locator(control).first().isVisible()).toBe(false);
      expect(await page.locator('details.long > p').first().isVisible()).toBe(true);
      expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-');
      await page.emulateMedia({ media: null, colorScheme: null });
    });
  });

  test('on a phone the list begins on the upper third of the screen, with the filters in one row', async () => {
    await look('the list', phone, async page => {
      const first = await page.locator('.entries > li').first().boundingBox();
      expect(first?.y).toBeLessThan(300);
    });
  });

  test('one can find an incident by typing, and read it, without script', async () => {
    await using page = await browser.newPage({ ...phone, javaScriptEnabled: false });
    await lookIn(page, 'the list', async () => {
      await page.getByRole('searchbox', { name: 'Search' }).fill('checkout severity:critical');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('link', { name: 'Checkout answers 500' }).click();
      await expect
        .poll(() => page.getByRole('heading', { level: 1 }).textContent())
        .toBe('Checkout answers 500 for card payments');
      // Whoever leaves a page whose picture is still under way gives that up.
      await page.waitForLoadState();
      await page.getByRole('link', { name: /^Notes/ }).click();
      const counts = async () => ({
        changes: await page.locator('.timeline .change').count(),
        notes: await page.locator('.timeline .note').count(),
      });
      await expect.poll(counts).toEqual({ changes: 0, notes: 5 });
    });
  });
});
