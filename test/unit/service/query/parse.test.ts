import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RpcError } from '../../../../src/contract/errors.ts';
import { maxQueryTerms, parseQuery } from '../../../../src/service/query/parse.ts';
import { queries, withoutPlaces, writable } from '../../../support/query/arbitrary.ts';
import { printQuery } from '../../../support/query/print.ts';
import { unicodeText } from '../../../support/unicode-text.ts';

function refusal(text: string): string {
  try {
    parseQuery(text);
  } catch (error) {
    expect(error).toBeInstanceOf(RpcError);
    const refused = error as RpcError;
    expect(refused.code).toBe('invalid_argument');
    expect(refused.message).toMatch(/^invalid query: /);
    return refused.message.slice('invalid query: '.length);
  }
  throw new Error(`accepted ${text}`);
}

/** The query in the printer's spelling, which shows how it was understood. */
function read(text: string): string {
  return printQuery(parseQuery(text));
}

describe('what a query says', () => {
  it.each([
    ['', ''],
    ['  \n', ''],
    [' isdrill:false', 'isdrill:false'],
    ['database', 'title:"database"'],
    ["don't panic", `title:"don't" title:"panic"`],
    ['"two words"', 'title:"two words"'],
    [`'the "db"'`, `title:'the "db"'`],
    ['checkout-api down', 'title:"checkout-api" title:"down"'],
    ['db - outage', 'title:"db" title:"-" title:"outage"'],
    ['TITLE:Foo Status:active', 'title:"Foo" status:"active"'],
    ['severity:major label:eu', 'severity:"major" label:"eu"'],
    ['isdrill:TRUE', 'isdrill:true'],
    ['field:service_name:"checkout-api"', 'field:service_name:"checkout-api"'],
    ['field:url:https://a.example/b:c', 'field:url:"https://a.example/b:c"'],
    ['field:"my key":x', 'field:"my key":"x"'],
    ['createdby:a@b.example user.email:c@d.example', 'createdby:"a@b.example" user.email:"c@d.example"'],
    ['context:https://wiki.example/x?a=b', 'context:"https://wiki.example/x?a=b"'],
    ['10:30', 'title:"10:30"'],
    ['title:', undefined],
    ['or(a b)', 'or(title:"a" title:"b")'],
    ['ANY (a b)', 'or(title:"a" title:"b")'],
    ['any(or(a b) and(c d))', 'or(or(title:"a" title:"b") and(title:"c" title:"d"))'],
    ['or', 'title:"or"'],
    ['not(a b)', 'not(and(title:"a" title:"b"))'],
    ['-label:x', 'not(label:"x")'],
    ['-or(a b)', 'not(or(title:"a" title:"b"))'],
    ['--a', 'not(not(title:"a"))'],
    ['-"a b"', 'not(title:"a b")'],
    ['"-a"', 'title:"-a"'],
    [
      'isdrill:false or(declared:2026-01-01T00:00:00Z,2026-01-02T00:00:00+01:00 resolved:,2026-01-01T00:00:00.5Z)',
      'isdrill:false or(declared:2026-01-01T00:00:00.000000Z,2026-01-01T23:00:00.000000Z resolved:,2026-01-01T00:00:00.500000Z)',
    ],
    ['started:"2026-01-01 00:00:00,"', 'started:2026-01-01T00:00:00.000000Z,'],
    ['ended:2026-01-01T00:00:00Z,', 'ended:2026-01-01T00:00:00.000000Z,'],
  ])('%s', (text, understood) => {
    if (understood === undefined) refusal(text);
    else expect(read(text)).toBe(understood);
  });

  it('remembers where each part was written', () => {
    const { items } = parseQuery('a -or(label:x "b c")');
    expect(items.map(each => each.at)).toEqual([
      { start: 0, end: 1 },
      { start: 2, end: 20 },
    ]);
  });
});

describe('what is refused, with the reason and the place', () => {
  it.each([
    ['modified:x', /^unknown property "modified"; known are title, .*ended\. .* \(at character 1\)$/],
    ['created:>2026-01-01', /^unknown property "created"/],
    ['a https://x.example', /^unknown property "https";.*quotes.*\(at character 3\)$/],
    ['or(a', /^the parenthesis of or\( is never closed \(at character 3\)$/],
    ['a)', /^a closing parenthesis has no opening one;.*\(at character 2\)$/],
    ['or()', /^or\( \) is empty \(at character 1\)$/],
    ['not( )', /^not\( \) is empty/],
    ['(a b)', /^a parenthesis may only follow or, any, and, not;.*\(at character 1\)$/],
    ['foo(bar)', /^a parenthesis may only follow .*\(at character 4\)$/],
    ['-(a)', /^a parenthesis may only follow/],
    ['-', undefined],
    ['or(-)', undefined],
    ['title:"abc', /^the quote " is never closed \(at character 7\)$/],
    [`'abc`, /^the quote ' is never closed \(at character 1\)$/],
    ['"a"b', /^a space is missing after the closing quote.*\(at character 4\)$/],
    ['label: x', /^"label" needs a value right after the colon \(at character 7\)$/],
    ['field:x', /^"field" needs a name and a value, as in field:service:checkout/],
    ['field:x:', /^"field" needs a value/],
    ['field::x', /^"field" needs a name and a value/],
    ['isdrill:maybe', /^isdrill is true or false, not "maybe" \(at character 9\)$/],
    ['declared:2026-01-01T00:00:00Z', /^declared needs two times with a comma between/],
    ['declared:,', /^declared needs two times/],
    ['declared:a,b,c', /^declared needs two times/],
    ['resolved:yesterday,', /^"yesterday" of resolved is not a time like/],
    ['ended:2026-02-30T00:00:00Z,', /is not a time/],
    ['a\0', /^it holds a NUL character \(at character 2\)$/],
  ])('%s', (text, reason) => {
    if (reason === undefined) expect(() => parseQuery(text)).not.toThrow();
    else expect(refusal(text)).toMatch(reason);
  });

  it('quotes no more of a long text than it must', () => {
    expect(refusal(`isdrill:${'x'.repeat(500)}`).length).toBeLessThan(120);
  });

  it('has bounds, and says which one was passed', () => {
    expect(refusal('a'.repeat(10_001))).toMatch(/^it is longer than/);
    expect(refusal(`title:${'a'.repeat(2001)}`)).toMatch(/^a value is longer than/);
    expect(refusal('a '.repeat(maxQueryTerms + 1))).toMatch(/^it has more than/);
    expect(refusal('not('.repeat(51))).toMatch(/^it nests deeper than/);
    expect(refusal(`${'-'.repeat(9999)}a`)).toMatch(/^it nests deeper than/);
    expect(refusal('or('.repeat(3000))).toMatch(/^it nests deeper than/);
    expect(refusal(`${'role:a '.repeat(100)}${'user.email:b '.repeat(100)}`)).toMatch(/^it combines too many roles/);
    const deepest = `${'not('.repeat(49)}a${')'.repeat(49)}`;
    expect(() => parseQuery(deepest)).not.toThrow();
  });
});

describe('for any text', () => {
  const fragments = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'or(',
          'any(',
          'not(',
          'and(',
          ')',
          '(',
          ' ',
          '-',
          '"',
          "'",
          ':',
          ',',
          'title:',
          'field:',
          'role:',
        ),
        fc.constantFrom('isdrill:', 'declared:', '2026-01-01T00:00:00Z', 'x', '\\', '%', '\u00a0', '\ud800'),
        unicodeText({ maxLength: 4 }),
      ),
      { maxLength: 60 },
    )
    .map(parts => parts.join(''));

  it('either reads it or refuses it as an invalid query', () => {
    fc.assert(
      fc.property(fc.oneof(fragments, unicodeText({ maxLength: 200 })), text => {
        try {
          parseQuery(text);
        } catch (error) {
          if (!(error instanceof RpcError) || !error.message.startsWith('invalid query: ')) throw error;
        }
      }),
      { numRuns: 1500 },
    );
  });

  it('reads back what it printed as the same query', () => {
    fc.assert(
      fc.property(fragments, text => {
        let query: ReturnType<typeof parseQuery>;
        try {
          query = parseQuery(text);
        } catch {
          return;
        }
        expect(withoutPlaces(parseQuery(printQuery(query)))).toEqual(withoutPlaces(query));
      }),
      { numRuns: 500 },
    );
  });

  it('reads every printed query as the one it was', () => {
    const time = fc.integer({ min: -(10 ** 15), max: 4 * 10 ** 15 });
    const slug = fc.stringMatching(/^[a-zA-Z][a-zA-Z _:-]{0,8}$/);
    fc.assert(
      fc.property(queries({ text: writable, slug, time }), query => {
        expect(withoutPlaces(parseQuery(printQuery(query)))).toEqual(withoutPlaces(query));
      }),
      { numRuns: 500 },
    );
  });
});
