import { StatementSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ana, ben, declare, get, openPages, say, tellMany, tellShort } from '../../../support/pages.ts';
import { call, type OpenedService } from '../../../support/service.ts';

/** What a reader sees of the page below its heading. */
function read(page: string): string {
  return page
    .replace(/^[\s\S]*<main/, '<main')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}

/** The titles of incidents and the headings of their parts, in order. */
function outline(page: string): string[] {
  return [...page.matchAll(/class="(?:name"[^>]*|part")>([^<]+)/g)].map(match => (match[1] ?? '').trim());
}

function linksOf(page: string): string[] {
  return [...page.matchAll(/href="([^"]+)"/g)].map(match => (match[1] ?? '').replaceAll('&amp;', '&'));
}

/** The address of the page before or behind this one; `""` for none. */
function turn(page: string, to: 'prev' | 'next'): string {
  return (new RegExp(`rel="${to}" href="([^"]+)"`).exec(page)?.[1] ?? '').replaceAll('&amp;', '&');
}

/** Declares an incident and gives a role in it to somebody. */
async function led(opened: OpenedService, when: string, title: string, severity: string, role: number | undefined) {
  const incidentID = await declare(opened, when, { title, severity, labels: [{ key: 'service', label: 'a "b"' }] });
  const { roles } = await call(opened, 'RolesService.GetRoles');
  if (role !== undefined)
    await say(opened, when, ana, 'IncidentsService.AssignRole', {
      incidentID,
      userID: ben.userID,
      role: roles[role]?.name,
    });
  return incidentID;
}

test('open incidents come first, the worst before the oldest, with what was said last and who leads', async () => {
  await using opened = await openPages();
  await tellMany(opened);
  await led(opened, '08:00', 'Newer and minor', 'minor', 1);
  await led(opened, '08:10', 'Not yet judged', 'pending', undefined);
  const worst = await led(opened, '08:20', 'Worst of all', 'critical', 0);
  const note = (when: string, body: string, fieldValues: object) =>
    say(opened, when, ana, 'ActivityService.AddActivity', {
      incidentID: worst,
      activityKind: 'userNote',
      body,
      fieldValues,
    });
  const values = { source: 'update', addedBy: 'Ana Torres', nextUpdateAt: '2026-09-19T09:00:00Z' };
  await note('08:30', 'Traffic goes to the other region.\n\n— Ana Torres in Slack', values);
  await note('08:35', 'Somebody made coffee.', { source: 'note' });
  opened.now = new Date('2026-09-19T08:45:00Z');
  const { text } = await get(opened, '/incidents');
  expect(outline(text).slice(0, 9)).toEqual([
    ...['Open', 'Worst of all', 'database is slow (19)', 'database is slow (39)', 'database is slow (59)'],
    ...['Newer and minor', 'Not yet judged', 'Sep 2026', 'payments is slow (58)'],
  ]);
  const words = read(text);
  expect(words).toContain('Open 6 ');
  expect(words).toMatch(/Sep 2026 4 .*Aug 2026 \d+ /);
  expect(words).toContain(
    'Worst of all Traffic goes to the other region. 15 min ago · next update 19 Sep, 09:00 #63 19 Sep, 08:20 open for 25 min BO Ben Okafor',
  );
  expect(words).toMatch(/Newer and minor #61 .* no commander investigator : BO Ben Okafor/);
  expect(words).toMatch(/Not yet judged #62 .* no commander service/);
  expect(words).toContain('1–50 of 58');
  opened.now = new Date('2026-09-19T09:05:00Z');
  expect(read((await get(opened, '/incidents')).text)).toContain('update overdue since 19 Sep, 09:00');
});

test('every chip says how many it leads to, and leads to as many', async () => {
  await using opened = await openPages();
  await tellMany(opened);
  for (const path of ['/incidents', '/incidents?q=payments&severity=minor', '/incidents?drills=only&status=resolved']) {
    const { text } = await get(opened, path);
    const chips = [...text.matchAll(/<a href="([^"]+)"[^>]*>[^<]+ <span>(\d+)<\/span><\/a>/g)];
    expect(chips.length).toBe(11);
    for (const [, address = '', count = ''] of chips) {
      const page = await get(opened, address.replaceAll('&amp;', '&'));
      const total = /–\d+ of (\d+) /.exec(read(page.text))?.[1] ?? '0';
      expect([address, total]).toEqual([address, count]);
    }
  }
});

test('drills are left out, which the list says, until somebody asks for them or searches', async () => {
  await using opened = await openPages();
  await declare(opened, '08:00', { title: 'Fire drill', isDrill: true });
  const first = read((await get(opened, '/incidents')).text);
  expect(first).not.toContain('Fire drill');
  expect(first).toContain('1 drill is left out. Show drills');
  for (const query of ['drills=with', 'drills=only', 'q=fire', 'q=1'])
    expect(outline((await get(opened, `/incidents?${query}`)).text)).toContain('Fire drill');
  expect(outline((await get(opened, '/incidents?q=fire&drills=none')).text)).toEqual([]);
});

test('labels and people lead to the incidents that have them', async () => {
  await using opened = await openPages();
  await tellMany(opened);
  await tellShort(opened);
  await led(opened, '11:00', 'Quoted', 'minor', 0);
  const { text } = await get(opened, '/incidents');
  const asked = [...new Set(linksOf(text).filter(link => link.startsWith('/incidents?q=')))];
  const queries = asked.map(link => new URL(link, 'http://test').searchParams.get('q'));
  expect(queries).toContain('label:"payments"');
  expect(queries).toContain('field:"service":"card-gateway"');
  expect(queries).toContain(`field:"service":'a "b"'`);
  expect(queries).toContain('person:"Ben Okafor"');
  for (const link of asked) expect(outline((await get(opened, link)).text), link).not.toEqual([]);
});

test('pages say where they are, lead to both sides, and have titles of their own', async () => {
  await using opened = await openPages();
  await tellMany(opened);
  const titleOf = (page: string) => /<title>([^<]*)</.exec(page)?.[1];
  const first = await get(opened, '/incidents');
  const next = turn(first.text, 'next');
  const second = await get(opened, next);
  expect(read(second.text)).toContain('51–55 of 55 Newer');
  expect(titleOf(second.text)).toBe('Incidents, page 2 – Muster');
  expect(turn(second.text, 'prev')).toBe('/incidents');
  expect(outline(first.text).length + outline(second.text).length).toBeGreaterThan(55);
  expect(titleOf((await get(opened, '/incidents?status=active&severity=minor&q=slow')).text)).toBe(
    'Incidents: open, minor, “slow” – Muster',
  );
  expect(titleOf((await get(opened, '/incidents/figures?severity=minor')).text)).toBe('Figures: minor – Muster');
  for (const stale of ['page=9', 'page=nonsense', 'page=0', 'after=WyJ4Il0']) {
    const { status, text } = await get(opened, `/incidents?status=resolved&${stale}`);
    expect(status).toBe(400);
    expect(text).toContain('<a href="/incidents?status=resolved">Begin with the first page</a>');
    expect(text).not.toContain('aria-invalid');
  }
  const { text: none } = await get(opened, '/incidents?q=nosuchthing');
  expect(read(none)).toContain('No incident matches. Clear search and filters');
  expect(linksOf(none)).toContain('/incidents');
});

test.each(['/incidents', '/incidents?drills=with', '/incidents?q=a', '/incidents?status=resolved'])(
  'who turns the pages of %s sees each incident once, whatever is declared meanwhile, and gets back',
  async path => {
    await using opened = await openPages();
    for (let index = 0; index < 130; index += 1) {
      const day = `2026-0${1 + (index % 8)}-11T12:00:00Z`;
      const incidentID = await declare(opened, day, {
        ...{ title: `A ${index}`, severity: ['minor', 'pending', 'major'][index % 3], isDrill: index % 10 === 0 },
        status: index % 2 === 0 ? 'active' : 'resolved',
      });
      if (index % 7 === 0)
        await say(opened, day, ana, 'IncidentsService.UpdateSeverity', { incidentID, severity: 'critical' });
    }
    const namesOf = (page: string) => outline(page).filter(each => each.startsWith('A '));
    const whole = (await get(opened, path)).text;
    const pages = [namesOf(whole)];
    const addresses = [path];
    for (let at = turn(whole, 'next'); at !== ''; ) {
      const { text } = await get(opened, at);
      addresses.push(at);
      pages.push(namesOf(text));
      at = turn(text, 'next');
      const news = { title: `B ${addresses.length}`, severity: 'critical', status: 'resolved' };
      await declare(opened, '2026-09-19T10:00:00Z', news);
    }
    const total = Number(/–\d+ of (\d+) /.exec(read(whole))?.[1]);
    expect(pages.flat().length).toBe(total);
    expect(new Set(pages.flat()).size).toBe(total);
    expect(pages.length).toBeGreaterThan(1);
    // News pushes out the oldest of a page in which they stand, and nothing else.
    for (const [index, address] of addresses.entries()) {
      if (index < 2) continue;
      const back = namesOf((await get(opened, turn((await get(opened, address)).text, 'prev'))).text);
      expect(pages[index - 1]?.slice(-back.length)).toEqual(back);
    }
    const numbered = (await get(opened, `${path}${path.includes('?') ? '&' : '?'}page=2`)).text;
    expect(namesOf(numbered).length).toBeGreaterThan(10);
  },
);

test('the bar keeps the filters from the list to the figures and back', async () => {
  await using opened = await openPages();
  await tellMany(opened);
  const query = '?q=payments&status=resolved&severity=minor';
  expect(linksOf((await get(opened, `/incidents${query}`)).text)).toContain(`/incidents/figures${query}`);
  expect(linksOf((await get(opened, `/incidents/figures${query}`)).text)).toContain(`/incidents${query}`);
});

test('a list of many incidents takes as many statements as one of few', async () => {
  const counts: number[] = [];
  for (const many of [2, 40]) {
    await using opened = await openPages();
    for (let index = 0; index < many; index += 1) {
      const incidentID = await led(opened, '08:00', `No ${index}`, 'major', 0);
      await say(opened, '08:01', ben, 'ActivityService.AddActivity', {
        incidentID,
        activityKind: 'userNote',
        body: 'x',
      });
      if (index % 2)
        await say(opened, '09:00', ben, 'IncidentsService.UpdateStatus', { incidentID, status: 'resolved' });
    }
    const statements = vi.spyOn(opened.database.forSearches().getExecutor(), 'provideConnection');
    await get(opened, '/incidents');
    counts.push(statements.mock.calls.length);
    statements.mockRestore();
  }
  expect(counts[1]).toBe(counts[0]);
  expect(counts[0]).toBeGreaterThan(5);
  expect(counts[0]).toBeLessThanOrEqual(12);
});

test('the file has the incidents of the list, one line each, and nothing that a spreadsheet computes', async () => {
  await using opened = await openPages();
  await tellShort(opened);
  await declare(opened, '11:00', { title: '=1+1, "so"', severity: 'minor', labels: [{ label: '@team' }] });
  await declare(opened, '11:01', { title: '-2 % of "sales"', isDrill: true });
  const { headers, text } = await get(opened, '/incidents.csv');
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toContain('incidents.csv');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  const lines = text.split('\r\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toBe(
    'number,title,status,severity,worst severity,drill,declared,started,ended,duration in seconds,commander,labels,address',
  );
  expect(lines[1]).toBe(
    '2,"\'=1+1, ""so""",open,minor,minor,no,2026-09-19T11:00:00Z,2026-09-19T11:00:00Z,,,,\'@team,http://localhost:3000/a/grafana-irm-app/incidents/2/1-1-so',
  );
  expect(lines[2]).toContain(
    'resolved,critical,critical,no,2026-09-19T09:12:00Z,2026-09-19T08:55:00Z,2026-09-19T10:05:00Z,4200,Ana Torres,"payments, checkout, service:card-gateway"',
  );
  expect((await get(opened, '/incidents.csv?drills=only')).text).toContain('"\'-2 % of ""sales"""');
  const one = (await get(opened, '/incidents.csv?q=checkout&status=resolved')).text;
  expect(one.split('\r\n')).toHaveLength(3);
});

test('people who open the list at the same time get one page, and each page knows what was there before its request', async () => {
  await using opened = await openPages();
  await tellShort(opened);
  await get(opened, '/incidents');
  const all = vi.spyOn(StatementSync.prototype, 'all');
  onTestFinished(() => void all.mockRestore());
  const statements = async (many: number) => {
    all.mockClear();
    const pages = await Promise.all(Array.from({ length: many }, () => get(opened, '/incidents')));
    expect(new Set(pages.map(each => each.text)).size).toBe(1);
    expect(pages.map(each => each.status)).toEqual(pages.map(() => 200));
    return all.mock.calls.length;
  };
  const one = await statements(1);
  expect(one).toBeGreaterThan(0);
  expect(await statements(40)).toBe(one);
  const early = get(opened, '/incidents');
  await declare(opened, '12:00', { title: 'Declared meanwhile' });
  expect((await get(opened, '/incidents')).text).toContain('Declared meanwhile');
  expect((await early).status).toBe(200);
  const [english, searched] = await Promise.all([
    get(opened, '/incidents'),
    get(opened, '/incidents?q=nothing-like-it'),
  ]);
  expect(english.text).not.toBe(searched.text);
});

test('who takes no zipped page gets a plain one, whoever asks for the same page at that moment', async () => {
  await using opened = await openPages();
  const ask = (path: string, zipped: boolean) =>
    opened.service.fetch(new Request(`http://test${path}`, { headers: zipped ? { 'accept-encoding': 'gzip' } : {} }));
  for (const path of ['/reference', '/openapi.json', '/incidents', '/incidents.csv']) {
    await (await ask(path, false)).text();
    for (const [first, second] of [
      [true, false],
      [false, true],
    ] as const) {
      const answers = await Promise.all([ask(path, first), ask(path, second)]);
      const [zipped, plain] = first ? answers : answers.toReversed();
      expect(plain?.headers.get('content-encoding'), path).toBeNull();
      expect((await plain?.text())?.length, path).toBeGreaterThan(20);
      expect(
        Buffer.from(await (zipped as Response).arrayBuffer())
          .subarray(0, 2)
          .toString('hex') === '1f8b',
        path,
      ).toBe(zipped?.headers.get('content-encoding') === 'gzip');
    }
  }
});

test('an open incident says the words of people about it: update, else summary, else a note; never an address or an alert', async () => {
  await using opened = await openPages();
  const said = {
    told: ['update', 'summary', 'note', 'alert', 'dashboard'],
    summed: ['summary', 'note', 'alert', 'dashboard'],
    noted: ['note', 'address', 'alert', 'dashboard', 'claim'],
    silent: ['alert', 'dashboard', 'address'],
  };
  const notes: Readonly<Record<string, readonly [source: string, body: string]>> = {
    update: ['', '📣 We roll back.'],
    summary: ['declaration', '📋 Orders fail.'],
    note: ['message', 'The pool is full.\n\n— Ana Torres in Slack'],
    address: ['note', 'https://status.example.com/incident/7 for theirs'],
    alert: ['alert', 'OrdersFail fires: 31 % of orders fail'],
    dashboard: ['dashboard', 'Dashboard “Orders”: https://muster.example.com/goto/abc'],
    claim: ['claim', 'ana took this up.'],
  };
  for (const [title, kinds] of Object.entries(said)) {
    const incidentID = await declare(opened, '08:00', { title });
    for (const kind of kinds) {
      const [source = '', body = ''] = notes[kind] ?? [];
      const note = { incidentID, activityKind: 'userNote', body, fieldValues: source === '' ? {} : { source } };
      await say(opened, '08:01', ana, 'ActivityService.AddActivity', note);
    }
  }
  const { text } = await get(opened, '/incidents');
  const rows = text
    .split('<li>')
    .map(each => /class="name"[^>]*>([^<]+)[\s\S]*?(?:class="said"><bdi>([\s\S]*?)<\/bdi>|<\/li>)/.exec(each));
  expect(Object.fromEntries(rows.map(row => [row?.[1]?.trim(), row?.[2]?.trim() ?? '']))).toMatchObject({
    ...{ told: 'We roll back.', summed: 'Orders fail.', noted: 'The pool is full.', silent: '' },
  });
});
