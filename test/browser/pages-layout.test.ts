import { pino } from 'pino';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveService } from '../../src/service/http/server.ts';
import { findWithAxe } from '../support/axe.ts';
import { hasNoBrowser, openBrowser } from '../support/browser.ts';
import { openPages, saveDashboard, tellLong, tellShort } from '../support/pages.ts';

const desktop = { viewport: { width: 1280, height: 900 } };
const narrowest = { viewport: { width: 320, height: 640 } };

/** Relative luminance and contrast of WCAG 2.2, for colours as browsers write them. */
const contrast = (one: string, other: string) => {
  const light = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(part => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const [a, b] = [light(one), light(other)];
  return Math.max(a, b) / Math.min(a, b);
};

describe.skipIf(hasNoBrowser)('what readers with other eyes and hands meet', () => {
  const stack = new AsyncDisposableStack();
  let browser: Browser;
  let paths: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    browser = await openBrowser();
    stack.defer(() => browser.close());
    const opened = stack.use(await openPages());
    const log = pino({ level: 'silent' });
    const server = stack.use(await serveService({ service: opened.service, port: 0, log }));
    const root = `http://127.0.0.1:${server.port}`;
    const long = await tellLong(opened);
    const incident = await tellShort(opened);
    const dashboard = await saveDashboard(opened);
    paths = {
      'the list': `${root}/incidents`,
      'an incident': `${root}/a/grafana-irm-app/incidents/${incident}`,
      'a long incident': `${root}/a/grafana-irm-app/incidents/${long}`,
      'a dashboard': `${root}${dashboard}?changes=2`,
      'the dashboards': `${root}/dashboards`,
      'a folder': `${root}/dashboards/f/shop`,
      'the reference': `${root}/reference`,
      'an error': `${root}/no/such/page/${'x'.repeat(200)}`,
    };
  }, 60_000);

  afterAll(() => stack.disposeAsync());

  async function look<T>(name: string, how: BrowserContextOptions, see: (page: Page) => Promise<T>): Promise<T> {
    const context = await browser.newContext(how);
    try {
      const page = await context.newPage();
      await page.goto(paths[name] ?? '');
      return await see(page);
    } finally {
      await context.close();
    }
  }

  test.each(['a dashboard', 'the dashboards', 'a folder', 'an error', 'the reference', 'an incident'])(
    'axe finds nothing on %s, on a desk and on a phone in the dark',
    async name => {
      const phone = { ...narrowest, colorScheme: 'dark' as const };
      // The reference is long: one look takes seconds.
      for (const how of name === 'the reference' ? [phone] : [desktop, phone]) {
        expect(await look(name, how, findWithAxe)).toEqual([]);
      }
    },
    60_000,
  );

  test.each(['the list', 'a dashboard', 'the dashboards', 'an error', 'the reference'])(
    'at 320 pixels %s breaks no word of its bar and scrolls to no side',
    async name => {
      const { width, broken } = await look(name, narrowest, page =>
        page.evaluate<{ width: number; broken: string[] }>(
          `(() => {
            const isBroken = text => [...text.data.matchAll(/\\S+/g)].some(({ 0: word, index }) => {
              const range = document.createRange();
              range.setStart(text, index);
              range.setEnd(text, index + word.length);
              return range.getClientRects().length > 1;
            });
            const texts = [...document.querySelectorAll('.bar a, h2, dt, .switch a, .search button')].flatMap(each => [...each.childNodes]);
            const broken = texts.filter(each => each.nodeType === 3 && isBroken(each)).map(each => each.data);
            return { width: document.documentElement.scrollWidth, broken };
          })()`,
        ),
      );
      expect([width, broken]).toEqual([320, []]);
    },
  );

  test('on paper an incident of 300 items begins its timeline by page 2, light, with address and time at its end', async () => {
    // The inside of an A4 page within its margins.
    const inside = { width: 688, height: 1000 };
    const how = { viewport: inside, colorScheme: 'dark' as const };
    const seen = await look('a long incident', how, async page => {
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      return page.evaluate<{ top: number; paper: string; foot: string; width: number }>(
        `({ top: document.querySelector('.timeline').getBoundingClientRect().top, width: document.documentElement.scrollWidth,
            paper: getComputedStyle(document.body).backgroundColor, foot: document.querySelector('.foot').innerText })`,
      );
    });
    expect(seen.top).toBeLessThan(2 * inside.height);
    expect(seen.width).toBe(inside.width);
    expect(seen.paper).toBe('rgb(255, 255, 255)');
    expect(seen.foot).toMatch(/\/incidents\/\d+\/\S+ as of \d+ \w+ \d{4}, \d\d:\d\d UTC/);
  });

  test('on paper no query of a dashboard stands a letter a line', async () => {
    const narrow = await look('a dashboard', { viewport: { width: 688, height: 1000 } }, async page => {
      await page.emulateMedia({ media: 'print' });
      return page.evaluate<number>(
        `Math.min(...[...document.querySelectorAll('.panel pre')].map(each => each.getBoundingClientRect().width))`,
      );
    });
    expect(narrow).toBeGreaterThan(200);
  });

  test.each(['light', 'dark'] as const)(
    'the placeholder and the edge of a field can be seen in %s',
    async colorScheme => {
      const seen = await look('the list', { ...desktop, colorScheme }, page =>
        page.evaluate<Record<'letters' | 'field' | 'edge' | 'page' | 'opacity', string>>(
          `(() => { const input = document.querySelector('input[type=search]'), style = getComputedStyle(input);
          const holder = getComputedStyle(input, '::placeholder');
          return { letters: holder.color, opacity: holder.opacity, field: style.backgroundColor, edge: style.borderTopColor,
            page: getComputedStyle(document.body).backgroundColor }; })()`,
        ),
      );
      expect(seen.opacity).toBe('1');
      expect(contrast(seen.letters, seen.field)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(seen.edge, seen.field)).toBeGreaterThanOrEqual(3);
      expect(contrast(seen.edge, seen.page)).toBeGreaterThanOrEqual(3);
    },
  );

  test('in forced colours one tab is current, one choice is, and a pill has an edge', async () => {
    const edged = await look('an incident', { ...desktop, forcedColors: 'active' }, page =>
      page.evaluate<Record<'tabs' | 'choices' | 'pills', number[]>>(
        `(() => {
          const edged = (place, selector) =>
            [...place.querySelectorAll(selector)].filter(each => parseFloat(getComputedStyle(each).borderBottomWidth) > 0).length;
          return { tabs: [edged(document, '.bar .links a')], pills: [edged(document, '.mark')],
            choices: [...document.querySelectorAll('.switch')].map(each => edged(each, 'a')) };
        })()`,
      ),
    );
    expect(edged.tabs).toEqual([1]);
    expect(edged.choices).toEqual(edged.choices.map(() => 1));
    expect(edged.pills[0]).toBeGreaterThanOrEqual(2);
  });

  test.each(['the list', 'an incident', 'a dashboard', 'the dashboards', 'an error'])(
    'what one presses on %s is at least 24 pixels high, but for links in sentences',
    async name => {
      const small = await look(name, desktop, page =>
        page.evaluate<string[]>(
          `[...document.querySelectorAll('summary, button, input:not([type=hidden]), .bar a, .switch a, .ways a, .pager a, .trail a, .who a')]
            .filter(each => each.checkVisibility() && each.getBoundingClientRect().height < 23.99).map(each => each.outerHTML)`,
        ),
      );
      expect(small).toEqual([]);
    },
  );
});
