import { sql } from 'kysely';
import { pino } from 'pino';
import type { Browser, BrowserContextOptions, Page, ViewportSize } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveService } from '../../src/service/http/server.ts';
import { createService, type Service } from '../../src/service/service.ts';
import { findWithAxe } from '../support/axe.ts';
import { chromiumPath, hasNoBrowser, openBrowser } from '../support/browser.ts';
import { openHostile } from '../support/hostile-pages.ts';
import { type KindOfIncident, kindsOfIncidents, type OpenedKinds, openKinds } from '../support/kinds-of-incidents.ts';
import { isLong } from '../support/length.ts';
import { findFaintShapes, findShift, findSmallTargets, findTornWords, readSheets } from '../support/page-looks.ts';
import { declare } from '../support/pages.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see the pages in a browser`);
}

const log = pino({ level: 'silent' });

/** The screens of readers: a desk, a tablet, a phone, and a desk at 400 %. */
const heights = { 1280: 860, 768: 1024, 390: 844, 320: 640 } as const;
type Width = keyof typeof heights;
const widths = [1280, 768, 390, 320] as const satisfies readonly Width[];
const toViewport = (width: Width) => ({ width, height: heights[width] });
/** How a reader's browser shows a page. */
type How = Pick<BrowserContextOptions, 'colorScheme' | 'forcedColors'> & { readonly viewport?: ViewportSize };
/** The looks of a page. In `.ci/run` two of them are seen at one width each, since the styles of a width name no colour. */
const looks = {
  light: { how: { colorScheme: 'light', forcedColors: 'none' }, at: widths },
  dark: { how: { colorScheme: 'dark', forcedColors: 'none' }, at: isLong ? widths : ([390] as const) },
  'forced colours': { how: { colorScheme: 'light', forcedColors: 'active' }, at: isLong ? widths : ([1280] as const) },
} as const satisfies Record<string, { how: How; at: readonly Width[] }>;

/** The pages besides those of incidents for everybody. */
const others = [
  ...(['private', 'hostile', 'list', 'list of a person', 'filtered list', 'search refused', 'empty list'] as const),
  ...(['figures', 'dashboards', 'folder', 'dashboard', 'reference', 'nowhere', 'door'] as const),
] as const;
type Name = KindOfIncident | (typeof others)[number];
const names: readonly Name[] = [...kindsOfIncidents, ...others];
/** Those that are looked at closely. The longest page is made as that of 300 items is, and each look at it takes seconds. */
const closely = isLong ? names : names.filter(each => each !== 'thousands of items');

/** How axe looks at a page. In `.ci/run` it sees every other page on a desk by light, and the others on a phone by dark. */
type Way = readonly [Width, 'light' | 'dark'];
function waysOf(name: Name): readonly Way[] {
  const ends: readonly Way[] = [
    [1280, 'light'],
    [320, 'dark'],
  ];
  if (!isLong) return ends.slice(closely.indexOf(name) % 2).slice(0, 1);
  // The two longest are made as the shorter ones are; a look at one takes seconds.
  const isHuge = name === 'thousands of items' || name === 'reference';
  return isHuge ? ends : [...ends, [1280, 'dark'], [390, 'light']];
}

describe.skipIf(hasNoBrowser)('the pages in a browser', () => {
  const stack = new AsyncDisposableStack();
  let browser: Browser;
  let addresses: Readonly<Record<Name, string>>;
  let cookie = '';

  beforeAll(async () => {
    browser = await openBrowser();
    stack.defer(() => browser.close());
    const serve = async (service: Service) =>
      `http://127.0.0.1:${stack.use(await serveService({ service, port: 0, log })).port}`;
    const kinds = stack.use(await openKinds());
    const secret = await tellPrivate(kinds);
    const hostile = stack.use(await openHostile());
    const locked = stack.use(await openLocked(kinds, secret));
    const root = await serve(kinds.service);
    const lockedRoot = await serve(locked.service);
    const key = new URL(await locked.service.pageLink('UANA', '/incidents')).pathname;
    const entered = await fetch(`${lockedRoot}${key}`, { method: 'POST', redirect: 'manual' });
    cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    addresses = {
      ...(Object.fromEntries(kindsOfIncidents.map(kind => [kind, `${root}${kinds.incidents[kind]}`])) as Record<
        KindOfIncident,
        string
      >),
      private: `${lockedRoot}/a/grafana-irm-app/incidents/${secret}`,
      hostile: `${await serve(hostile.service)}/a/grafana-irm-app/incidents/1`,
      list: `${root}/incidents`,
      'list of a person': `${lockedRoot}/incidents`,
      'filtered list': `${root}/incidents?q=label%3Apayments&status=resolved`,
      'search refused': `${root}/incidents?q=severity%3Anonsense`,
      'empty list': `${root}/incidents?q=nosuchword`,
      figures: `${root}/incidents/figures`,
      dashboards: `${root}/dashboards`,
      folder: `${root}/dashboards/f/shop`,
      dashboard: `${root}${kinds.dashboard}?changes=2`,
      reference: `${root}/reference`,
      nowhere: `${root}/nope/${'x'.repeat(200)}`,
      door: `${lockedRoot}/door/cut-short`,
    };
  }, 180_000);

  afterAll(() => stack.disposeAsync());

  /** The page that the looks share: what a browser starts for a fresh one costs more than what it shows. */
  let shared: Page | undefined;

  /** Looks at a page that was just loaded. */
  async function look<T>(name: Name, how: How, see: (page: Page) => Promise<T>): Promise<T> {
    const isLocked = name === 'private' || name === 'list of a person';
    const { viewport = toViewport(1280), colorScheme = null, forcedColors = null } = how;
    shared ??= await browser.newPage();
    await shared.setExtraHTTPHeaders(isLocked ? { cookie } : {});
    await shared.setViewportSize(viewport);
    await shared.emulateMedia({ media: null, colorScheme, forcedColors });
    await shared.goto(addresses[name], { waitUntil: 'load' });
    return await see(shared);
  }

  /** An incident's page says on its first screen where it stands. */
  async function expectFirstScreen(page: Page): Promise<void> {
    for (const [width, end] of [
      [1280, 700],
      [390, 844],
    ] as const) {
      await page.setViewportSize(toViewport(width));
      const box = await page.getByRole('region', { name: /^(Now|Outcome)$/ }).boundingBox();
      expect(box).not.toBeNull();
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(end);
    }
  }

  test.each(closely)(
    '%s says where it stands, and fits every width in every look, with no word torn, nothing faint, nothing too small to press, and nothing that axe finds',
    async name => {
      const found: string[] = [];
      await look(name, {}, async page => {
        if ([...kindsOfIncidents, 'private'].includes(name)) await expectFirstScreen(page);
        for (const [words, { how, at }] of Object.entries(looks)) {
          await page.emulateMedia(how);
          for (const width of at) {
            await page.setViewportSize(toViewport(width));
            const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
            // These depend on the width alone.
            const torn = words === 'light' ? await findTornWords(page) : [];
            const small = words === 'light' ? await findSmallTargets(page) : [];
            const faint = await findFaintShapes(page);
            const shapes = [...torn.map(each => `torn ${each}`), ...small.map(each => `small ${each}`), ...faint];
            const all = [...(wide > width ? [`${wide} px wide`] : []), ...shapes];
            found.push(...all.map(each => `${words}, ${width}: ${each}`));
          }
        }
        for (const [width, colorScheme] of waysOf(name)) {
          await page.emulateMedia({ colorScheme, forcedColors: 'none' });
          await page.setViewportSize(toViewport(width));
          const faults = await findWithAxe(page, width === 1280 && colorScheme === 'dark' ? 'colours' : 'all');
          found.push(...faults.map(each => `axe at ${width}, ${colorScheme}: ${each}`));
        }
      });
      expect(found).toEqual([]);
    },
  );

  test('in forced colours one tab is current, one choice is, and a pill has an edge', async () => {
    const edged = await look('active', { forcedColors: 'active' }, page =>
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

  test.each(['300 items', 'thousands of items', 'active', 'figures'] as const)(
    'nothing moves while %s comes',
    async name => {
      for (const width of [1280, 390] as const) {
        // Nothing of it is in the browser's cache.
        await using page = await browser.newPage({ viewport: toViewport(width) });
        await page.goto(addresses[name], { waitUntil: 'load' });
        expect(await findShift(page)).toBeLessThan(0.05);
      }
    },
  );

  test.each(['light', 'dark'] as const)('a reader with a %s screen prints on white', async colorScheme => {
    await look('300 items', { viewport: toViewport(1280), colorScheme }, async page => {
      await page.emulateMedia({ media: 'print', colorScheme });
      const shown = await page.evaluate<[string, string]>(
        '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]',
      );
      expect(shown).toEqual(['rgb(255, 255, 255)', 'rgb(28, 35, 51)']);
      expect(await findFaintShapes(page)).toEqual([]);
    });
  });

  test.each(['300 items', 'list', 'figures', 'dashboard'] as const)(
    'each sheet of %s says what it is, and which of how many',
    async name => {
      const sheets = await look(name, {}, async page => readSheets(await page.pdf({ preferCSSPageSize: true })));
      expect(sheets.length).toBeGreaterThan(1);
      // Chromium draws what stands in the margin first, and what is fixed last: “7”, “ / ”, “25”; address, “as of” and time.
      const [numbers, slashes, totals] = [0, 1, 2].map(at => sheets.map(sheet => sheet[at]));
      expect(new Set(numbers).size).toBe(sheets.length);
      expect([new Set(slashes).size, new Set(totals)]).toEqual([1, new Set([numbers?.at(-1)])]);
      const feet = new Set(sheets.map(sheet => sheet.slice(-3).join(' ')));
      expect(feet.size).toBe(1);
      // A letter has four digits: “http://localhost:3000/…”, “ as of ”, “19 Sep 2026, 12:00 UTC”.
      const [address = 0, words, time] = [...feet]
        .join('')
        .split(' ')
        .map(each => each.length / 4);
      expect(address).toBeGreaterThan('http://localhost:3000/'.length);
      expect([words, time]).toEqual([' as of '.length, '19 Sep 2026, 12:00 UTC'.length]);
    },
  );

  test('on paper people and tasks come first, then the timeline by sheet 2, and links last, all within the sheet', async () => {
    // The inside of an A4 page within its margins.
    const inside = { width: 688, height: 1000 };
    await look('300 items', { viewport: inside }, async page => {
      await page.emulateMedia({ media: 'print' });
      const seen = await page.evaluate<{ tops: number[]; width: number; timeline: number; cut: string[] }>(`(() => {
        const top = words => [...document.querySelectorAll('h2')].find(each => each.textContent.startsWith(words)).getBoundingClientRect().top;
        const cut = [...document.querySelectorAll('main :is(p, li, dd, pre, summary)')]
          .filter(each => each.checkVisibility() && each.getBoundingClientRect().right > ${inside.width}).map(each => each.textContent);
        return { tops: ['People', 'Times', 'Timeline', 'Links'].map(top), timeline: document.querySelector('.timeline').getBoundingClientRect().top,
          width: document.documentElement.scrollWidth, cut };
      })()`);
      expect(seen.tops).toEqual(seen.tops.toSorted((one, other) => one - other));
      expect(seen.timeline).toBeLessThan(2 * inside.height);
      expect(seen.width).toBe(inside.width);
      expect(seen.cut).toEqual([]);
    });
  });

  test('on paper no panel of a dashboard is so narrow that its query stands a letter a line', async () => {
    const narrow = await look('dashboard', { viewport: { width: 794, height: 1000 } }, async page => {
      await page.emulateMedia({ media: 'print' });
      return page.evaluate<number>(
        `Math.min(...[...document.querySelectorAll('.panel')].map(each => each.getBoundingClientRect().width))`,
      );
    });
    expect(narrow).toBeGreaterThan(250);
  });
});

/** Declares a private incident; gives its id. */
async function tellPrivate(kinds: OpenedKinds): Promise<string> {
  return declare(kinds, '2026-09-19T11:30:00Z', {
    title: 'A key of ours stands in a public place',
    severity: 'critical',
    incidentType: 'private',
  });
}

/** Incidents whose pages ask who reads: Ana is in the room of a private one. */
async function openLocked(kinds: OpenedKinds, secret: string) {
  kinds.now = new Date('2026-09-19T12:00:00Z');
  const nothing = sql<string>`(select '' as incident_id where 1 = 0)`;
  const sight = {
    seesPublic: true,
    userIDs: ['slack:UANA'],
    joined: sql<string>`(select ${secret} as incident_id)`,
    mark: '',
  };
  const person = {
    ...{ name: 'Thiruvananthapuram Krishnamurthy-Venkataraghavan', seesDashboards: true, leftOut: 0 },
    sight: { ...sight, roomed: sql<string>`(select ${secret} as incident_id)`, closed: nothing, declared: nothing },
  };
  const readers = () => ({
    ...{ find: async () => person, confirms: async () => true, lookAgain: () => undefined, channelOf: async () => '' },
  });
  const options = { pages: 'slack', rootUrl: 'https://muster.example.com' } as const;
  const service = await createService({ database: kinds.database, log, clock: () => kinds.now, options, readers });
  return { service, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}
