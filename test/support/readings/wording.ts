import fc from 'fast-check';

/** Words that people write, by what they write them for. `many` yields another text of the kind at each call. */
export interface Wording {
  readonly title: string;
  readonly otherTitle: string;
  readonly note: string;
  readonly task: string;
  readonly otherTask: string;
  /** A name that Slack and the API know somebody by. */
  readonly name: string;
  readonly role: string;
  readonly roleText: string;
  readonly label: string;
  readonly otherLabel: string;
  readonly update: string;
  readonly doing: string;
  readonly summary: string;
  readonly caption: string;
  readonly said: string;
  readonly dashboard: string;
  readonly tag: string;
  readonly nonsense: string;
  /** How many further tasks, roles and labels the incident has. */
  readonly more: { readonly tasks: number; readonly roles: number; readonly labels: number };
  /** One of many texts of at most `max` characters. */
  many(kind: string, index: number, max: number): string;
}

/** What people write on a usual night. */
export const plainWording: Wording = {
  title: 'Checkout answers 500',
  otherTitle: 'Checkout answers 500 in Europe',
  note: 'Rolled back to v41',
  task: 'Fail over to the replica',
  otherTask: 'Call the bank',
  name: 'Dora Doe',
  role: 'scribe',
  roleText: 'Writes it down',
  label: 'checkout',
  otherLabel: 'europe',
  update: 'Half of the payments fail',
  doing: 'We fail over to the replica',
  summary: 'The replica took over',
  caption: 'Errors by region',
  said: 'Does paying by card work again?',
  dashboard: 'The shop',
  tag: 'shop',
  nonsense: 'flobber',
  more: { tasks: 14, roles: 12, labels: 3 },
  many: (kind, index) => `${kind} ${index}`,
};

/**
 * Stand around each sign in {@link hostileWording}. People’s texts begin and end with letters, so where Muster’s formatting begins or
 * ends at one of these, a person’s sign made it.
 */
export const marks = ['‡', '†'] as const;
/** Nobody has this id, and no group and no page this name: whatever mentions or links them was made by a person’s text. */
export const evil = { person: 'U0EVIL0001', group: 'S0EVIL0001', host: 'evil.invalid' } as const;

const atoms = fc.constantFrom(
  '‡*†bold†*‡',
  '‡_†leaning†_‡',
  '‡~†struck†~‡',
  '‡`†code†`‡',
  '‡```†block†```‡',
  '‡*†',
  '†*‡',
  '‡_†',
  '‡`†',
  '\n> †quoted†',
  '\n>>> †quoted†',
  '<!channel>',
  '<!here|here>',
  '<!everyone>',
  `<@${evil.person}>`,
  `<!subteam^${evil.group}>`,
  `<https://${evil.host}|click>`,
  '&lt;!channel&gt;',
  '&amp;',
  '@channel',
  '“quotes”',
  '|',
  '\n',
  '\u200b',
  '\u2060',
  '\u202etxet\u202c',
  'שלום עולם',
  'مرحبا',
  '😀',
  '👩‍👩‍👧',
  'e\u0301'.repeat(12),
  ':fire:',
  '*',
  '_',
  '~',
  '[Join]',
  '{"a": 1}',
  '漢字',
);

const hostileText = (max: number) =>
  fc.array(fc.tuple(fc.constantFrom('word', 'other', 'pod7'), atoms), { minLength: 4, maxLength: 60 }).map(pieces => {
    const text = pieces.map(([word, atom]) => `${word} ${atom}`).join(' ');
    // It ends with a letter, wherever it is cut.
    const cut = [...text].reduce((all, sign) => (all.length + sign.length < max - 4 ? all + sign : all), '');
    return `${cut} end`;
  });

/** A wording with texts that try to format, to mention, to link, to turn and to fill, as long as each may be. The seed names them. */
export function hostileWording(seed: number): Wording {
  let drawn = 0;
  const draw = (max: number): string => {
    drawn += 1;
    const [text = ''] = fc.sample(hostileText(max), { seed: seed * 1000 + drawn, numRuns: 1 });
    return text;
  };
  const line = (max: number) => draw(max).replaceAll('\n', ' ');
  return {
    title: line(500),
    otherTitle: line(120),
    note: draw(2900),
    task: line(500),
    otherTask: line(60),
    name: line(80),
    role: line(40),
    roleText: line(300),
    label: line(80),
    otherLabel: line(40),
    update: draw(2900),
    doing: draw(2900),
    summary: draw(2900),
    caption: line(300),
    said: draw(3900),
    dashboard: line(300),
    tag: line(60),
    // A role gets this name, whole.
    nonsense: line(50),
    more: { tasks: 200, roles: 30, labels: 97 },
    many: (_kind, index, max) => `${index} ${line(max - 6)}`,
  };
}
