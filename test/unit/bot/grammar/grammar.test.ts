import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Args, flagList, flagOn, flagText, parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import type { VerbShape } from '../../../../src/bot/grammar/verb.ts';
import { timeLength } from '../../../../src/bot/text/times.ts';
import { escapeMrkdwn } from '../../../../src/bot/text/words.ts';
import { unicodeText } from '../../../support/unicode-text.ts';
import { findClashes } from '../../../support/verb-clashes.ts';

const verbs: VerbShape[] = [
  {
    noun: 'incident',
    verb: 'declare',
    aliases: ['new', 'create', 'open', 'start'],
    usage: '[title] [--severity S] [--drill]',
    summary: 'Declare an incident',
    flags: {
      severity: { kind: 'text', aliases: ['sev'], hint: 'critical, major or minor' },
      drill: { kind: 'switch' },
      label: { kind: 'list', aliases: ['labels'] },
      at: { kind: 'phrase', length: timeLength },
    },
  },
  {
    noun: 'incident',
    verb: 'resolve',
    aliases: ['close', 'finish'],
    usage: '[summary]',
    summary: 'Resolve the incident',
  },
  { noun: 'task', verb: 'add', aliases: ['create'], usage: 'text [@user]', summary: 'Add a task' },
  { noun: 'task', verb: 'list', usage: '', summary: 'List the tasks' },
  {
    noun: 'role',
    verb: 'assign',
    aliases: ['give'],
    shorthands: { lead: 'commander' },
    under: { incident: ['assign', 'lead'] },
    fallback: 'argument',
    usage: '[@user] role',
    summary: 'Assign a role',
  },
  { noun: 'note', verb: 'add', usage: 'text', summary: 'Add a note' },
  { noun: 'dash', verb: 'link', usage: 'url|path|uid', summary: 'Link a dashboard' },
];

function parse(typed: string) {
  const [root = '', ...rest] = typed.split(/ (.*)/s);
  return parseCommand(verbs, { root, commandRoot: 'muster', self: 'UBOT', text: rest[0] ?? '' });
}

function argsOf(typed: string): Args {
  const parsed = parse(typed);
  if (parsed.kind !== 'verb') throw new Error(`${typed} is ${JSON.stringify(parsed)}`);
  return parsed.args;
}

/** `task add: fix it` for a verb, the rest in the same spirit. */
function said(typed: string): string {
  const parsed = parse(typed);
  if (parsed.kind === 'verb') return `${parsed.noun} ${parsed.verb}: ${parsed.args.rest}`;
  if (parsed.kind === 'help') return ['help', parsed.noun, parsed.verb].filter(Boolean).join(' ');
  if (parsed.kind === 'bare') return `bare ${parsed.noun ?? ''}`.trim();
  if (parsed.kind === 'invalid') return `${parsed.noun} ${parsed.verb}! ${parsed.problem}`;
  if (parsed.kind === 'talk') return parsed.says;
  return `${parsed.typed}? ${parsed.readings.map(({ noun, verb }) => `${noun} ${verb}`).join(', ')}`;
}

describe('finding the verb', () => {
  it.each([
    ['/task add fix it', 'task add: fix it'],
    ['/incident add task fix it', 'task add: fix it'],
    ['/incident task add fix it', 'task add: fix it'],
    ['/incident tasks add fix it', 'task add: fix it'],
    ['/incident assign role commander', 'role assign: commander'],
    ['/incident assign commander', 'role assign: commander'],
    ['/role r commander', 'role assign: r commander'],
    ['/role commander', 'role assign: commander'],
    ['/incident lead', 'role assign: commander'],
    ['/muster incident declare x', 'incident declare: x'],
    ['/muster declare x', 'incident declare: x'],
    ['/muster create x', 'incident declare: x'],
    ['/muster create task x', 'task add: x'],
    ['/muster declare incident x', 'incident declare: x'],
    ['/muster add task x', 'task add: x'],
    ['/muster task add x', 'task add: x'],
    ['/dashboard link x', 'dash link: x'],
    ['/INCIDENT Declare Payments', 'incident declare: Payments'],
    ['/incident declared x', 'incident declare: x'],
    ['/incident closed all good', 'incident resolve: all good'],
    ['/incident resolved', 'incident resolve: '],
    ['/incident finishes', 'incident resolve: '],
    ['/incident declare: x', 'incident declare: x'],
    ['/incident create task force', 'incident declare: task force'],
    ['/muster declare task list is broken', 'incident declare: task list is broken'],
    ['/task add role assign is broken', 'task add: role assign is broken'],
    ['mention <@UBOT> declare: x', 'incident declare: x'],
    ['mention <@UBOT> /muster task add x', 'task add: x'],
    ['mention /task add x', 'task add: x'],
    ['/incident', 'bare incident'],
    ['/muster', 'bare'],
    ['/muster roles', 'bare role'],
    ['mention <@UBOT>', 'bare'],
  ])('%s → %s', (typed, expected) => expect(said(typed)).toBe(expected));

  it('reads help at every level, and only where nothing else was typed', () => {
    expect(said('/muster help')).toBe('help');
    expect(said('/muster ?')).toBe('help');
    expect(said('/task help')).toBe('help task');
    expect(said('/task -h')).toBe('help task');
    expect(said('/task add help')).toBe('help task add');
    expect(said('/task add --help')).toBe('help task add');
    expect(said('/task add fix it —help')).toBe('help task add');
    expect(said('/muster help task add')).toBe('help task add');
    expect(said('/muster help add task')).toBe('help task add');
    expect(said('/muster task help')).toBe('help task');
    expect(said('/incident help declare')).toBe('help incident declare');
    expect(said('/incident help me')).toBe('help incident');
    expect(parse('/incident help all')).toEqual({ kind: 'help', noun: 'incident', isWhole: true });
    expect(parse('/muster help all')).toEqual({ kind: 'help', isWhole: true });
    expect(said('/incident declare help desk is down')).toBe('incident declare: help desk is down');
    expect(said('/incident declare "help"')).toBe('incident declare: help');
    expect(said('/task add why is it down ?')).toBe('task add: why is it down ?');
  });

  it('suggests what was meant', () => {
    expect(said('/incident declrae x')).toBe('declrae? incident declare, incident declare');
    expect(said('/incident reslove')).toBe('reslove? incident resolve');
    expect(said('/muster reslove')).toBe('reslove? incident resolve');
    expect(said('/muster tsak add x')).toMatch(/^tsak\? task add/);
    expect(said('/muster add x')).toBe('add? task add, note add');
    expect(said('/muster add nte x')).toBe('add? task add, note add');
    expect(said('/task ad x')).toBe('ad? task add, task add');
    expect(said('/task a x')).toBe('a? task add');
    expect(said('/role create x')).toBe('role assign: create x');
    expect(said('/role asign commander')).toBe('asign? role assign');
    expect(said('/muster frobnicate')).toBe('frobnicate? ');
    for (const kind of ['please', 'thank']) expect(said(`/muster ${kind}`)).toBe(`${kind}? `);
    expect(said('/muster cool story')).toBe('cool? note add');
    expect(said('/muster <@U1|bob>')).toBe('@bob? ');
    expect(parse('/muster task frobnicate')).toMatchObject({ kind: 'unknown', typed: 'frobnicate', noun: 'task' });
  });

  it('notices two verbs that claim one word', () => {
    expect(findClashes(verbs)).toEqual([]);
    const clash = { noun: 'task', verb: 'make', aliases: ['Add'], usage: '', summary: '' };
    expect(findClashes([...verbs, clash])).toEqual(['"task add" is both add and make']);
  });
});

describe('arguments', () => {
  it('takes people and groups at either end, and leaves them in a sentence', () => {
    const bob = { id: 'U1', label: 'bob' };
    expect(argsOf('/task add fix it <@U1|bob>')).toMatchObject({ rest: 'fix it', users: [bob], raw: 'fix it @bob' });
    expect(argsOf('/role assign <@U1|bob>, commander')).toMatchObject({ rest: 'commander', users: [bob] });
    expect(argsOf('/role <@U1> commander').users).toEqual([{ id: 'U1', label: 'U1' }]);
    expect(argsOf('/role assign commander <@U1|bob><@W2|amy>').users).toEqual([bob, { id: 'W2', label: 'amy' }]);
    expect(argsOf('/task add ask <@U1|bob> about DNS <!subteam^S1|@sre>')).toMatchObject({
      rest: 'ask @bob about DNS',
      text: 'ask @bob about DNS @sre',
      users: [],
      groups: [{ id: 'S1', label: 'sre' }],
    });
    expect(argsOf('/role assign <@U1|Bob "B" Smith> commander')).toMatchObject({
      rest: 'commander',
      words: ['commander'],
    });
    expect(argsOf('/task add look in <#C1|ops>')).toMatchObject({
      rest: 'look in #ops',
      channels: [{ id: 'C1', label: 'ops' }],
    });
  });

  it('says which names Slack did not know', () => {
    expect(argsOf('/role assign @bob commander')).toMatchObject({ rest: '@bob commander', unresolved: ['@bob'] });
    expect(argsOf('/task add mail a@b.example the @handle thing').unresolved).toEqual([]);
  });

  it('never lets a broadcast through', () => {
    const args = argsOf('/task add wake <!channel> and <!here|here> &lt;!everyone&gt;');
    expect(args.rest).toBe('wake @channel and @here <!everyone>');
    expect(args.text).toBe(args.raw);
  });

  it('decodes once, and strips controls but not line breaks', () => {
    expect(argsOf('/task add a &lt; b &amp;amp; c').rest).toBe('a < b &amp; c');
    expect(argsOf('/task add one\u0000\u001b\ntwo\r\n\tthree').rest).toBe('one\ntwo\n\tthree');
  });

  it('turns links into their address', () => {
    expect(argsOf('/dash link <https://g.example/d/a?x=1&amp;y=2|the board> peak').words).toEqual([
      'https://g.example/d/a?x=1&y=2',
      'peak',
    ]);
    expect(argsOf('/task add write <mailto:a@b.example|a@b.example>').rest).toBe('write a@b.example');
  });

  it.each([
    ['"fix it"', 'fix it', ['fix it']],
    ["'fix it'", 'fix it', ['fix it']],
    ['“fix it”', 'fix it', ['fix it']],
    ['‘fix it’', 'fix it', ['fix it']],
    ['”fix it"', 'fix it', ['fix it']],
    ['«fix it»', 'fix it', ['fix it']],
    ["don't panic", "don't panic", ["don't", 'panic']],
    ["'don't panic'", "don't panic", ["don't panic"]],
    ['the "big red" one', 'the "big red" one', ['the', 'big red', 'one']],
    ['a 19" rack', 'a 19" rack', ['a', '19"', 'rack']],
    ['"never closed', '"never closed', ['"never', 'closed']],
    ['""', '', ['']],
  ])('reads quotes in %s', (typed, text, words) => {
    expect(argsOf(`/task add ${typed}`)).toMatchObject({ text, words, raw: typed });
  });
});

describe('flags', () => {
  it.each([
    '--severity major Payments down',
    'Payments --severity=major down',
    'Payments down --sev major',
    'Payments down —severity major',
    'Payments down –Severity “major”',
  ])('%s', typed => {
    const args = argsOf(`/incident declare ${typed}`);
    expect(args.rest).toBe('Payments down');
    expect(flagText(args, 'severity')).toBe('major');
    expect(args.raw).toBe(typed);
  });

  it('knows switches, lists and phrases', () => {
    const args = argsOf('/incident declare --drill --label "a b" --label=c --labels="d e" --at 20m ago DNS is out');
    expect(args.rest).toBe('DNS is out');
    expect(flagOn(args, 'drill')).toBe(true);
    expect(flagList(args, 'label')).toEqual(['a b', 'c', 'd e']);
    expect(flagText(args, 'at')).toBe('20m ago');
    expect(flagText(argsOf('/incident declare x --at whenever it was --drill'), 'at')).toBe('whenever it was');
    expect(flagText(argsOf('/incident declare --at a while ago\nDNS'), 'at')).toBe('a while ago');
    expect(flagOn(argsOf('/incident declare --drill=no x'), 'drill')).toBe(false);
  });

  it('leaves what is no flag alone', () => {
    expect(argsOf('/incident declare Payments — down').rest).toBe('Payments — down');
    expect(argsOf('/incident declare Payments —slowly down').rest).toBe('Payments —slowly down');
    expect(argsOf('/incident declare a --> b --- c -x').rest).toBe('a --> b --- c -x');
    expect(argsOf('/incident declare --drill -- --severity is ignored').rest).toBe('--severity is ignored');
    expect(argsOf('/incident declare "--severity"').rest).toBe('--severity');
    expect(argsOf('/incident declare one\n--severity major\ntwo').rest).toBe('one\ntwo');
  });

  it('says what is wrong, and keeps what was typed', () => {
    expect(said('/incident declare x --sevrity major')).toContain(
      'There is no flag --sevrity (put it in quotes if it is text). Did you mean --severity?',
    );
    expect(said('/incident declare x --colour red')).toContain(
      'The flags here are --severity, --drill, --label, --at.',
    );
    expect(said('/task add x --colour red')).toContain('There are none here.');
    expect(said('/incident declare x --severity')).toContain('--severity needs a value: critical, major or minor.');
    expect(said('/incident declare --severity --drill x')).toContain('--severity needs a value');
    expect(said('/incident declare --drill=maybe x')).toContain('--drill takes no value');
    expect(parse('/incident declare x --colour red')).toMatchObject({ kind: 'invalid', raw: 'x --colour red' });
  });
});

describe('an incident named behind a verb', () => {
  const verb = { noun: 'incident', usage: '', summary: '', flags: { incident: { kind: 'text' } } } as const;
  const naming: VerbShape[] = [
    { ...verb, verb: 'status', argumentKind: 'nothing' },
    { ...verb, verb: 'severity', argumentKind: 'words' },
    { ...verb, verb: 'resolve', argumentKind: 'text' },
    { ...verb, verb: 'started' },
  ];
  const nameIn = (text: string) => {
    const parsed = parseCommand(naming, { root: 'incident', commandRoot: 'muster', channelPrefix: 'fire-', text });
    if (parsed.kind !== 'verb' || parsed.named === undefined) return 'none';
    const { reference, isCertain } = parsed.named;
    const where = reference.kind === 'channel' ? `${reference.channelId} ` : '';
    return `${isCertain ? '' : 'perhaps '}${where}${reference.id}, ${parsed.args.text}`;
  };

  it.each([
    ['status 7', '7, '],
    ['status #007', '7, '],
    ['status INC-7', '7, '],
    ['status incident-7.', '7, '],
    ['status <#C1|fire-7-checkout>', 'C1 7, '],
    ['status <#C1>', 'C1 , '],
    ['status fire-7', '7, '],
    ['status "7"', 'none'],
    ['status fire-seven', 'none'],
    ['status 7.5', 'none'],
    ['severity 7 major', '7, major'],
    ['severity 1', 'none'],
    ['severity INC-7', '7, '],
    ['resolve 7', 'perhaps 7, 7'],
    ['resolve 7 the pool was full', 'perhaps 7, 7 the pool was full'],
    ['resolve <#C1|fire-7>', 'perhaps C1 7, #fire-7'],
    ['resolve the 7 pools', 'none'],
    ['started 7 pm', 'none'],
    ['started INC-7 20m ago', '7, 20m ago'],
  ])('%s', (text, expected) => expect(nameIn(text)).toBe(expected));
});

describe('for any text', () => {
  const roots = fc.constantFrom('/incident', '/task', '/muster', '/role', 'mention', '/other', '');
  const piece = fc.oneof(
    unicodeText({ maxLength: 12 }),
    fc.constantFrom(
      '"',
      '“',
      "'",
      '’',
      '<@U1|bob>',
      '<!here>',
      '<#C1>',
      '--',
      '--severity',
      '—',
      '<',
      '>',
      '&lt;',
      '\n',
    ),
    fc.constantFrom('task', 'add', 'declare', 'help', 'role', '?', '--at', '--label="'),
  );
  const anyLine = fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join(' '));
  const word = fc.stringMatching(/^[a-z0-9'"“”‘’«»&<>@#—=.-]{1,8}$/);

  it('never throws, and never hands on controls or Slack tokens it read', () => {
    fc.assert(
      fc.property(roots, anyLine, (root, text) => {
        const parsed = parseCommand(verbs, { root, commandRoot: 'muster', text });
        if (parsed.kind !== 'verb') return;
        for (const given of [parsed.args.rest, parsed.args.raw, parsed.args.text, ...parsed.args.words]) {
          expect(given).not.toMatch(/(?![\n\t])\p{Cc}/u);
          expect(given).not.toMatch(/<@U1|<!here>|<#C1>/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives back arguments that were quoted for it', () => {
    const closings = (text: string) => [/["“”„‟](\s|$)/, /['‘’‚‛](\s|$)/, /»(\s|$)/].every(quote => quote.test(text));
    const argument = fc.oneof(
      word,
      fc.array(word, { maxLength: 4 }).map(words => words.join(' ')),
      fc.constant('help'),
    );
    fc.assert(
      fc.property(
        fc.array(
          argument.filter(text => !closings(text)),
          { minLength: 1, maxLength: 4 },
        ),
        words => {
          const typed = escapeMrkdwn(words.map(quoteForCommand).join(' '));
          expect(argsOf(`/task add ${typed}`).words).toEqual(words);
          if (words.length === 1) expect(argsOf(`/task add ${typed}`).rest).toBe(words[0]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('keeps every word in raw, and reads noun first like verb first', () => {
    const text = fc.array(word, { minLength: 1, maxLength: 6 }).map(words => words.join(' '));
    fc.assert(
      fc.property(fc.constantFrom(...verbs), text, ({ noun, verb }, typed) => {
        const sent = escapeMrkdwn(typed);
        const nounFirst = parse(`/muster ${noun} ${verb} ${sent}`);
        expect(parse(`/muster ${verb} ${noun} ${sent}`)).toEqual(nounFirst);
        expect(parse(`/${noun} ${verb} ${sent}`)).toEqual(nounFirst);
        if (nounFirst.kind === 'verb') expect(nounFirst.args.raw).toBe(typed);
      }),
    );
  });

  it('knows every alias and its past tense, under any root', () => {
    for (const shape of verbs) {
      for (const alias of [shape.verb, ...(shape.aliases ?? [])]) {
        const past = alias.endsWith('e') ? `${alias}d` : `${alias}ed`;
        for (const typed of [alias, alias.toUpperCase(), past]) {
          expect(said(`/${shape.noun} ${typed} x`)).toBe(`${shape.noun} ${shape.verb}: x`);
          expect(said(`/muster ${shape.noun}s ${typed} x`)).toBe(`${shape.noun} ${shape.verb}: x`);
        }
      }
    }
  });
});

/** Writes an argument as a person would who knows about quotes: bare when it can be, quoted otherwise. */
function quoteForCommand(text: string): string {
  if (text !== '' && !/\s/.test(text) && !/^["'“”„‟‘’‚‛«<@#?/-]|^[—–]|^help$/i.test(text)) return text;
  if (!/["“”„‟](\s|$)/.test(text)) return `"${text}"`;
  if (!/['‘’‚‛](\s|$)/.test(text)) return `'${text}'`;
  if (!/»(\s|$)/.test(text)) return `«${text}»`;
  return `"${text.replace(/["“”„‟](?=\s|$)/g, "'")}"`;
}
