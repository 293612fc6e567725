import fc from 'fast-check';

/*
 * Messages as Slack may deliver them, of every kind of block and attachment. Each word stands in one place, so that a reader that
 * repeats it, or loses it, is seen.
 */

type Shape = { readonly [name: string]: unknown };

let count = 0;
/** A word that no other place has. */
const word = fc.constant(undefined).map(() => {
  count += 1;
  return `w${count}`;
});
const words = fc.array(word, { minLength: 1, maxLength: 3 }).map(each => each.join(' '));
const url = word.map(each => `https://${each}.example/x`);
const lines = fc.array(words, { minLength: 1, maxLength: 3 }).map(each => each.join('\n'));

const token = fc.oneof(
  words,
  words.map(each => `*${each}*`),
  words.map(each => `&lt;${each}&gt;`),
  fc.tuple(url, words).map(([to, label]) => `<${to}|${label}>`),
  url.map(to => `<${to}>`),
  word.map(host => `<http://${host}.example|${host}.example>`),
  fc.constantFrom('<@U1>', '<#C0GENERAL>', '<!subteam^S1>', '<!here>', ':fire:', '&amp;'),
);
const mrkdwnText = fc.array(token, { minLength: 1, maxLength: 4 }).map(each => each.join(' '));

const plain = words.map((text): Shape => ({ type: 'plain_text', text }));
const mrkdwn = mrkdwnText.map((text): Shape => ({ type: 'mrkdwn', text }));
const textObject = fc.oneof(plain, mrkdwn);

const piece: fc.Arbitrary<Shape> = fc.oneof(
  fc.record({ type: fc.constant('text'), text: words.map(each => `${each} `) }),
  fc.record({
    type: fc.constant('text'),
    text: words,
    style: fc.constantFrom({ bold: true }, { code: true }, { italic: true, strike: true }),
  }),
  fc.record({ type: fc.constant('link'), url, text: words }),
  fc.record({ type: fc.constant('link'), url }),
  fc.constantFrom<Shape>({ type: 'user', user_id: 'U2' }, { type: 'channel', channel_id: 'C0GENERAL' }),
  fc.constantFrom<Shape>({ type: 'usergroup', usergroup_id: 'S1' }, { type: 'emoji', name: 'fire' }),
);
/** Pieces with a space between them, so that no two words become one. */
const pieces = fc
  .array(piece, { minLength: 1, maxLength: 4 })
  .map(each => each.flatMap(one => [one, { type: 'text', text: ' ' }]));
const section = pieces.map((elements): Shape => ({ type: 'rich_text_section', elements }));
const part = fc.oneof(
  section,
  pieces.map((elements): Shape => ({ type: 'rich_text_quote', elements })),
  words.map((text): Shape => ({ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] })),
  fc.record({
    type: fc.constant('rich_text_list'),
    style: fc.constantFrom('bullet', 'ordered'),
    indent: fc.nat(2),
    elements: fc.array(section, { minLength: 1, maxLength: 3 }),
  }),
);
const rich = fc.array(part, { minLength: 1, maxLength: 3 }).map((elements): Shape => ({ type: 'rich_text', elements }));

const image = fc.record({
  type: fc.constant('image'),
  image_url: url.map(each => each.replace('https', 'x')),
  alt_text: words,
});
const button: fc.Arbitrary<Shape> = fc.oneof(
  fc.record({ type: fc.constant('button'), action_id: word, text: plain, value: word }),
  fc.record({ type: fc.constant('button'), action_id: word, text: plain, url }),
);
const rawCell = fc.record({ type: fc.constant('raw_text'), text: words });
const cell: fc.Arbitrary<Shape> = fc.oneof(
  rawCell,
  fc.nat(999).map((value): Shape => ({ type: 'raw_number', value, text: String(value) })),
  section.map((each): Shape => ({ type: 'rich_text', elements: [each] })),
);
const twoCells = fc.tuple(cell, cell);
const markdown = fc
  .array(
    fc.oneof(
      words,
      words.map(each => `**${each}**`),
      fc.tuple(words, url).map(([label, to]) => `[${label}](${to})`),
      words.map(each => `![${each}](x://y)`),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map(each => each.join(' '));

const block: fc.Arbitrary<Shape> = fc.oneof(
  rich,
  fc.record(
    {
      type: fc.constant('section'),
      text: textObject,
      fields: fc.array(textObject, { maxLength: 3 }),
      accessory: fc.oneof(button, image),
    },
    { requiredKeys: ['type', 'text'] },
  ),
  fc.record({ type: fc.constant('section'), fields: fc.array(textObject, { minLength: 1, maxLength: 4 }) }),
  fc.record({ type: fc.constant('header'), text: plain }),
  fc.constant<Shape>({ type: 'divider' }),
  fc.record({
    type: fc.constant('context'),
    elements: fc.array(fc.oneof(textObject, image), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ type: fc.constant('actions'), elements: fc.array(button, { minLength: 1, maxLength: 3 }) }),
  fc.record(
    { type: fc.constant('image'), title: plain, image_url: fc.constant('x://y'), alt_text: words },
    { requiredKeys: ['type', 'alt_text', 'image_url'] },
  ),
  fc.record({ type: fc.constant('markdown'), text: markdown }),
  fc.record({ type: fc.constant('table'), rows: fc.array(twoCells, { minLength: 1, maxLength: 3 }) }),
  fc.record({
    type: fc.constant('data_table'),
    caption: words,
    rows: fc.array(twoCells, { minLength: 2, maxLength: 4 }),
  }),
  fc.record({ type: fc.constant('alert'), level: fc.constantFrom('info', 'error'), text: textObject }),
  fc.record({
    type: fc.constant('video'),
    title: plain,
    title_url: url,
    author_name: words,
    provider_name: words,
    description: plain,
    alt_text: words,
  }),
  fc.record(
    {
      type: fc.constant('card'),
      title: mrkdwn,
      subtitle: mrkdwn,
      body: mrkdwn,
      icon: image,
      actions: fc.array(button, { maxLength: 2 }),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record({
    type: fc.constant('container'),
    title: plain,
    subtitle: plain,
    child_blocks: fc.array(fc.record({ type: fc.constant('section'), text: textObject }), { maxLength: 2 }),
  }),
  fc.record(
    {
      type: fc.constant('task_card'),
      title: words,
      details: rich,
      output: rich,
      sources: fc.array(fc.record({ type: fc.constant('url'), url, text: words }), { maxLength: 2 }),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record({
    type: fc.constant('data_visualization'),
    title: words,
    chart: fc.record({
      series: fc.array(
        fc.record({ name: words, data: fc.array(fc.record({ label: words, value: fc.nat(99) }), { maxLength: 2 }) }),
        { minLength: 1, maxLength: 2 },
      ),
    }),
  }),
);
/** At least one of them has words: what is shown of a message whose blocks have none is its text, here and in clients without blocks. */
const blocks = fc
  .tuple(fc.record({ type: fc.constant('section'), text: textObject }), fc.array(block, { maxLength: 3 }))
  .map(([first, more]): readonly Shape[] => [...more, first]);

const field = fc.record({ title: words, value: mrkdwnText, short: fc.boolean() });
const time = fc.constantFrom(1_795_183_559, '1795183559.000100');
const appAttachment: fc.Arbitrary<Shape> = fc.record(
  {
    ...{
      pretext: mrkdwnText,
      service_name: words,
      author_name: words,
      author_link: url,
      title: words,
      title_link: url,
    },
    ...{ text: lines, fields: fc.array(field, { maxLength: 3 }), footer: words, ts: time, fallback: words },
    ...{
      actions: fc.array(fc.record({ type: fc.constant('button'), text: words, value: word }), { maxLength: 2 }),
      color: fc.constant('good'),
    },
    ...{ blocks },
  },
  { requiredKeys: [] },
);
const forward: fc.Arbitrary<Shape> = fc
  .tuple(
    fc.record({
      author_name: words,
      from_url: url,
      text: lines,
      ts: time,
      footer: words.map(each => `${each} #general`),
      fallback: words,
    }),
    fc.record(
      {
        message_blocks: blocks.map(each => [{ team: 'T1', channel: 'C2', ts: '1.2', message: { blocks: each } }]),
        blocks,
        attachments: fc.array(appAttachment, { minLength: 1, maxLength: 2 }),
        is_share: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([needed, more]) => ({ is_msg_unfurl: true, channel_id: 'C0GENERAL', author_id: 'U2', ...needed, ...more }));

/** A message by a person or an app: of text, blocks, attachments, forwards, previews; edited, broadcast, or acted. */
export const generatedMessage: fc.Arbitrary<Shape> = fc
  .tuple(
    fc.constantFrom<Shape>(
      { user: 'U1' },
      { bot_id: 'B1' },
      { bot_id: 'B1', subtype: 'bot_message', username: 'robot' },
    ),
    fc.constantFrom<Shape>(
      {},
      { edited: { user: 'U1', ts: '2.0' } },
      { subtype: 'thread_broadcast', thread_ts: '0.9' },
      { subtype: 'me_message' },
    ),
    fc.record(
      {
        text: fc.oneof(mrkdwnText, lines),
        blocks,
        attachments: fc.array(fc.oneof(appAttachment, forward), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: ['text'] },
    ),
  )
  .map(([by, how, content]) => ({ ...how, ...by, ...content }));
