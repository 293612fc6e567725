import { isJsonObject, toObjects, toText } from '../../playground/fake-slack/protocol/json.ts';
import { live } from '../support/readings/life.ts';
import type { Reading } from '../support/readings/recorder.ts';
import { openStage } from '../support/readings/stage.ts';
import { plainWording } from '../support/readings/wording.ts';
import { intentTexts } from './intent-texts.ts';
import { toPage } from './markdown.ts';
import { steady } from './steady.ts';
import { findUnplayed } from './unplayed.ts';

/** test/words.md: all that Muster says to people, from a life in which a team uses all of it, and from the code what that does not reach. */
export async function writeWords(): Promise<string> {
  await using stage = await openStage(plainWording);
  await live(stage);
  const { readings } = stage;
  const changes = intentTexts(stage.storedIntents(), stage.severities);
  const chapters = [...new Set(readings.map(each => each.chapter))];
  const kept = lastOfEach(readings);
  const seen = new Set<string>();
  const told = chapters.flatMap(chapter => [
    `## ${chapter}`,
    ...kept.filter(each => each.chapter === chapter).flatMap(each => toItem(each, seen)),
  ]);
  const examples = changes.flatMap(({ waits, person, room }) => [waits, person, room]);
  const rest = findUnplayed([...readings.flatMap(linesOf), ...examples]);
  return toPage(
    'the code',
    [
      '# The words',
      [
        'All that Muster says to people, to be read in one go. A team lives through everything that Muster has; each text stands here the first',
        'time that somebody reads it, with what they did before and who reads it. `[…]` are buttons, `▾` menus, `⋯` the entries of a menu. A line',
        'that differs from an earlier one in names, numbers and quoted words alone is left out.',
      ].join('\n'),
      ...told,
      '## What each act says',
      'One sentence says what an act does. It stands here as it waits, as the person reads it, and as the room does.',
      [
        '| act | what waits | the person reads | the room reads |',
        '| --- | --- | --- | --- |',
        ...changes.map(({ kind, ...texts }) => toRow([`\`${kind}\``, texts.waits, texts.person, texts.room])),
      ].join('\n'),
      '## What nobody met',
      'Sentences of the code that stand nowhere above; `‹…›` are values.',
      ...[...rest].map(([path, texts]) =>
        [`### \`${path}\``, ...texts.map(text => `- ${text}`)]
          .join('\n\n')
          .replaceAll('\n\n- ', '\n- ')
          .replace('\n- ', '\n\n- '),
      ),
    ],
    'words',
  );
}

function toRow(cells: readonly string[]): string {
  return `| ${cells.map(each => each.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** In which order the things of an act stand here: Muster shows several at once. */
const readers = ['form', 'one person', 'direct message', 'room', 'channel', 'announcement'];

/** The readings as they stood at the end of each act. What it showed on the way may differ from run to run. */
function lastOfEach(readings: readonly Reading[]): readonly Reading[] {
  const last = new Map(readings.map(each => [`${each.at} ${each.thing}`, each]));
  const rank = ({ reader }: Reading) => (readers.indexOf(reader) + readers.length + 1) % (readers.length + 1);
  return [...last.values()].toSorted(
    (one, other) =>
      one.at - other.at || rank(one) - rank(other) || (linesOf(one).join() < linesOf(other).join() ? -1 : 1),
  );
}

/** The lines of a reading, with what its menus and questions say. */
function linesOf({ look, blocks }: Reading): readonly string[] {
  return [...look.split('\n'), ...hiddenIn(blocks)].map(line => steady(line).trimEnd()).filter(line => line !== '');
}

/** What shows only after a click: entries of menus, descriptions of options, questions before a press. */
function hiddenIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(hiddenIn);
  if (!isJsonObject(value)) return [];
  const words = (text: unknown) => (isJsonObject(text) ? toText(text.text) : '');
  const own: string[] = [];
  const options = toObjects(value.options);
  if (value.type === 'overflow') own.push(`⋯ ${options.map(each => words(each.text)).join(' · ')}`);
  else for (const each of options) if (each.description) own.push(`▾ ${words(each.text)}: ${words(each.description)}`);
  const { confirm } = value;
  if (isJsonObject(confirm) && isJsonObject(confirm.title))
    own.push(`? ${words(confirm.title)} ${words(confirm.text)} [${words(confirm.confirm)}] [${words(confirm.deny)}]`);
  return [...own, ...Object.values(value).flatMap(hiddenIn)];
}

/** A line without what differs from one incident to the next. */
function shapeOf(line: string): string {
  return line
    .replaceAll(/“[^”]*”/g, '“”')
    .replaceAll(/[@#][\w-]+/g, '@')
    .replaceAll(/\b(?:pending|minor|major|critical)\b/gi, 'minor')
    .replaceAll(/[⚪🟡🟠🔴]/gu, '⚪')
    .replaceAll(/(?:[A-Z][a-z]{2} \d+, \d{4} )?\d+:\d+ [AP]M/g, '0')
    .replaceAll(/\d+/g, '0')
    .replace(/(⚪ minor|✅ resolved) · .*/i, '$1 ·')
    .replace(/((?:Active|Resolved) · minor) · .*/, '$1 ·')
    .replace(/ declared .* \(minor\)\./, ' declared a (minor).')
    .replace(/^▾ #.*/, '▾ #')
    .replace(/given .* again\. Holders/, 'given a again. Holders')
    .replaceAll(/checkout answers 0(?: in europe)?/gi, 'title');
}

/** Lines that an item shows whole, however few of them are new. */
const few = 5;

function toItem(reading: Reading, seen: Set<string>): readonly string[] {
  const lines = linesOf(reading);
  const fresh = lines.map(line => !seen.has(shapeOf(line)) && /\p{L}/u.test(line));
  if (!fresh.includes(true)) return [];
  for (const line of lines) seen.add(shapeOf(line));
  // Lines about changes gather in one message, so those before it stand here already.
  const isGathered =
    reading.reader === 'room' && /^(?::|📣|🧪|🔁|▶️|☑️|🔗|[⚪🟡🟠🔴] @|✅ R)/u.test(lines[0] ?? '') && lines.length > 1;
  const isShown = (at: number) => fresh[at] === true || (!isGathered && (lines.length <= few || at === 0));
  const shown = lines.flatMap((line, at) => (isShown(at) ? [line] : isShown(at - 1) && !isGathered ? ['…'] : []));
  const act = steady(reading.act.split('\n')[0] ?? '');
  const after = act === '' ? '' : `, after ${act.length > 90 ? `${act.slice(0, 90)}…` : act}`;
  return [`**${reading.reader}**${after}`, shown.map(line => `    ${line}`).join('\n')];
}
