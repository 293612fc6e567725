import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ana, declare, get, openPages, say, tellMany, tellShort } from '../../../support/pages.ts';
import { call, type OpenedService } from '../../../support/service.ts';
import { unicodeText } from '../../../support/unicode-text.ts';

/** The titles on a page of the list, in order. */
function listed(page: string): string[] {
  return [...page.matchAll(/class="name"[^>]*>([^<]+)</g)].map(match => match[1] ?? '');
}

/** What a search says is wrong. */
function problem(page: string): string {
  return /<p class="problem"[^>]*>([^<]*)</.exec(page)?.[1]?.replaceAll('&quot;', '"').replaceAll('&#39;', "'") ?? '';
}

describe('what people type', () => {
  const stack = new AsyncDisposableStack();
  let opened: OpenedService;
  const search = async (text: string, more = '') =>
    await get(opened, `/incidents?${new URLSearchParams({ q: text })}${more}`);

  beforeAll(async () => {
    opened = stack.use(await openPages());
    await tellMany(opened);
    await tellShort(opened);
    const { incident } = await call(opened, 'IncidentsService.GetIncident', { incidentID: '59' });
    expect(incident.status).toBe('resolved');
  });
  afterAll(() => stack.disposeAsync());

  test('the placeholder of the search box and each example of its help find something', async () => {
    const { text: box } = await search('');
    const [, placeholder = ''] = /<input id="q"[^>]* placeholder="([^"]*)"/.exec(box) ?? [];
    const help = /<details class="syntax">[\s\S]*?<\/details>/.exec(box)?.[0] ?? '';
    const examples = [...help.matchAll(/<dt><code>([^<]*)</g)].map(match => match[1]?.replaceAll('&quot;', '"') ?? '');
    expect(placeholder).not.toBe('');
    expect(examples.length).toBeGreaterThan(8);
    for (const query of [placeholder, ...examples]) {
      const { status, text: page } = await search(query);
      expect([query, status]).toEqual([query, 200]);
      expect(listed(page).length, query).toBeGreaterThan(0);
      const figures = await get(opened, `/incidents/figures?by=month&${new URLSearchParams({ q: query })}`);
      expect([query, figures.status]).toEqual([query, 200]);
      expect(/<dt>incidents<\/dt><dd>(\d+)</.exec(figures.text)?.[1], query).toMatch(/^[1-9]/);
    }
  });

  test('every line of the query language of the reference is taken by the API', async () => {
    const chapter =
      /<section id="query-language"[\s\S]*?<\/dl>/.exec((await get(opened, '/reference')).text)?.[0] ?? '';
    const lines = [...chapter.matchAll(/<dt><code>([^<]*)</g)].map(match => match[1]?.replaceAll('&quot;', '"') ?? '');
    expect(lines.length).toBeGreaterThan(8);
    for (const queryString of lines.flatMap(line => line.split(', '))) {
      const { query } = await call(opened, 'IncidentsService.QueryIncidentPreviews', { query: { queryString } });
      expect(query.queryString).toBe(queryString);
    }
  });

  test.each([
    ['open', 3],
    ['open MINOR 52w', 3],
    ['resolved major', 13],
    ['7d', 3],
    ['"7d"', 0],
    ['declared:7d', 3],
    ['declared:7d..', 3],
    ['declared:24h', 1],
    ['declared:2026-09-19', 1],
    ['declared:2026-09-15,', 2],
    ['declared:2026-09-10..2026-09-15', 2],
    ['declared:..2026-04-02', 2],
    ['declared:2026-03', 1],
    ['declared:2026-09-19T09:12:00Z,2026-09-19T09:12:00Z', 1],
    ['declared:today', 1],
    ['ended:2h', 1],
    ['status:open', 3],
    ['status:OPEN severity:MINOR', 3],
    ['"certificate chain"', 0],
    ['notes:"certificate chain"', 1],
    ['notes:CERTIFICATE', 1],
    ['card-gateway', 1],
    ['Chloé', 1],
    ['"ana torres"', 1],
    ['commander:ana', 1],
    ['commander:torres', 1],
    ['commander:ben', 0],
    ['investigator:"Ben Okafor"', 1],
    ['person:chloé -commander:chloé', 1],
    ['-person:ana declared:7d', 2],
    ['worst:critical declared:7d', 1],
    ['worst:major declared:7d', 0],
    ['payments', 12],
  ])('%s finds %i', async (text, count) => {
    const { status, text: page } = await search(text, '&drills=none');
    expect([status, problem(page), listed(page).length]).toEqual([200, '', count]);
  });

  test.each(['55', '#55', 'INC-55', 'inc-55'])('%s finds that incident first', async text => {
    const { text: page } = await search(text);
    expect(page).toMatch(/Number 55<\/h2>/);
    expect(listed(page)[0]).toContain('(54)');
  });

  test.each([
    ['status:nonsense', 'no status "nonsense"', 'open or resolved'],
    ['severity:nonsense', 'no severity "nonsense"', 'critical, major, minor, pending'],
    ['worst:nonsense', 'no severity "nonsense"', 'critical'],
    ['declared:soon', '"soon"', 'declared:7d'],
    ['declared:,', 'needs a time', 'declared:2026-11-01..2026-11-10'],
    ['declared:2026-09-02..2026-09-01', 'ends before it begins', 'the earlier time comes first'],
    ['declared:2026-02-31', 'is no time', 'declared:24h'],
    ['plumber:ana', 'no property or role "plumber"', 'Put quotes around text with a colon'],
    ['notes:a notes:b notes:c notes:d', 'more than 3 texts in notes', ''],
    ['user.email:ana@example.com', 'not for readers without a name', 'person:ana'],
    ['-user.email:ana@example.com', 'not for readers without a name', 'person:ana'],
    ['or(x createdby:ana@example.com)', 'not for readers without a name', 'person:ana'],
  ])('%s is refused with words that say what to type', async (text, why, what) => {
    for (const path of ['/incidents', '/incidents/figures', '/incidents.csv']) {
      const { status, text: page } = await get(opened, `${path}?${new URLSearchParams({ q: text })}`);
      expect(status, path).toBe(400);
      if (path.endsWith('.csv')) continue;
      expect(problem(page)).toContain(why);
      expect(problem(page)).toContain(what);
    }
  });

  test('any text at all is answered with a list or with words, and stays in the box', async () => {
    const piece = fc.constantFrom(
      ...['declared:', 'started:', '7d', '..', ',', '2026-13', '2026-11-01', '99999w', 'status:', 'open', 'severity:'],
      ...['worst:', 'major', '#55', '55', '99999999999', 'INC-', 'notes:', 'person:', 'commander:', 'or(', 'not(', ')'],
      ...['"', "'", ' ', '-', 'OR', 'AND', 'field:', 'x', ':', '%', '_', '\\', '&', '<b>', 'user.email:', '"a b"'],
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map(all => all.join('')),
      fc.array(piece, { maxLength: 8 }).map(all => all.join(' ')),
      unicodeText({ maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(text, async typed => {
        const { status, text: page } = await search(typed);
        expect([200, 400]).toContain(status);
        if (status === 400) expect(problem(page)).not.toBe('');
        const kept = /name="q" type="search" value="([^"]*)"/.exec(page)?.[1] ?? '';
        const read = kept
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&');
        if (/^[ -~]*$/.test(typed)) expect(read).toBe(typed);
      }),
      { numRuns: 150 },
    );
  });

  test('the API keeps its own language: a word is a part of the title there, and short times are refused', async () => {
    const ask = (queryString: string) =>
      call(opened, 'IncidentsService.QueryIncidentPreviews', { query: { queryString, limit: 100 } });
    expect((await ask('Chloé')).incidentPreviews).toEqual([]);
    expect((await ask('status:nonsense')).incidentPreviews).toEqual([]);
    await expect(ask('declared:7d')).rejects.toThrow(/400/);
    await expect(ask('commander:ana')).rejects.toThrow(/400/);
  });
});

test('a severity that the options no longer list is found as it was written', async () => {
  await using first = await openPages();
  await declare(first, '09:00', { title: 'Old', severity: 'major' });
  const { url } = first;
  await using later = await openPages({ severities: [{ label: 'sev1', level: 1 }] }, { url });
  expect(listed((await get(later, '/incidents?q=severity:major')).text)).toEqual(['Old']);
  expect((await get(later, '/incidents?q=severity:minor')).status).toBe(400);
});

test('a name that fits too many people is asked for in full', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '09:00', { title: 'Crowded' });
  const { roles } = await call(opened, 'RolesService.GetRoles');
  for (let index = 0; index < 101; index += 1) {
    const actor = { userID: `slack:V${index}`, name: `Kim Number${index}` };
    await say(opened, '09:01', actor, 'IncidentsService.AssignRole', {
      incidentID,
      userID: actor.userID,
      role: roles[2]?.name,
    });
  }
  expect(problem((await get(opened, '/incidents?q=person:kim')).text)).toContain('type more of the name');
  expect(listed((await get(opened, '/incidents?q=person:number7')).text)).toEqual(['Crowded']);
  expect(listed((await get(opened, '/incidents?q=kim')).text)).toEqual([]);
  expect(ana.name).not.toContain('Kim');
});
