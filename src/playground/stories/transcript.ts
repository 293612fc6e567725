import { changedLines, foldLabels, type News, type Seen } from './observer.ts';
import { box, columns, styled, withEmoji, wrap } from './page.ts';

/** Writes down what happens, so that somebody who has never seen Muster can follow it in a terminal of 100 columns. */
export interface Transcript {
  /** A headline and what stands under it. */
  opening(title: string, paragraphs: readonly string[]): void;
  /** A new scene and what it is about. */
  scene(title: string): void;
  /** Something somebody does, and the words of it when there are any. */
  does(now: Date, who: string, deed: string, words?: string): void;
  /** What people see of the app. */
  news(news: readonly News[]): void;
  /** Whether a step had its effect; if not, what was expected or went wrong, a line each. */
  effect(claim: string, missing: readonly string[]): void;
  /** Lines as they are. */
  lines(lines: readonly string[]): void;
  /** The last words; the first paragraph is the verdict. */
  closing(success: boolean, paragraphs: readonly string[]): void;
}

/** Columns on the left that hold the time of what people do. */
const gutter = 7;

/** Opens a transcript that goes to `write`, piece by piece. */
export function openTranscript(write: (text: string) => void): Transcript {
  const put = (...lines: readonly string[]) => write(`${lines.map(line => line.trimEnd()).join('\n')}\n`);

  /** `who` stands out; `mark` is what stands in the gutter. */
  function paragraph(mark: string, who: string, deed: string, quoted = ''): void {
    const [first = '', ...more] = wrap(`${who} ${deed}${quoted === '' ? '' : ':'}`, columns - gutter);
    const head = `${styled('gray', mark.padEnd(gutter))}${styled('bold', who)}${first.slice(who.length)}`;
    const quote = quoted === '' ? [] : wrap(asRead(quoted), columns - gutter - 2);
    put('', head, ...indent(more), ...indent(quote.map(line => `${styled('gray', '│')} ${line}`)));
  }

  function tell(item: News): void {
    switch (item.kind) {
      case 'form': {
        const { title, lines, foot } = readForm(item.text);
        paragraph('', `only ${item.reader}`, 'sees a form:');
        put(...indent(box(title, lines, foot)));
        break;
      }
      case 'channel': {
        const { name, topic } = item.channel;
        const deed = `makes the channel #${name} and takes ${item.members.join(' and ')} in`;
        paragraph('', 'Muster', deed, topic && `Topic: ${topic}`);
        break;
      }
      case 'message':
        paragraph('', ...readers(item), foldLabels(item.message, item.text).join('\n'));
        break;
      case 'edit':
        paragraph('', ...editReaders([item]), toChange(item));
        break;
      case 'reaction': {
        const signs = item.names.map(name => withEmoji(`:${name}:`)).join(' ');
        paragraph('', 'everybody', `sees ${signs} under “${firstWords(item.message.text)}”`);
      }
    }
  }

  return {
    opening: (title, paragraphs) => {
      put(styled('bold', title), '═'.repeat(title.length));
      for (const each of paragraphs) put('', ...wrap(each, columns));
    },
    scene: title => {
      const head = `━━ ${title} `;
      put('', '', styled(['bold', 'cyan'], `${head}${'━'.repeat(Math.max(0, columns - head.length))}`));
    },
    does: (now, who, deed, words) => paragraph(now.toISOString().slice(11, 16), who, deed, words),
    news: news => {
      const told = new Set<News>();
      for (const item of news) {
        if (told.has(item)) continue;
        const alike = sameEdits(item, news);
        for (const each of alike) told.add(each);
        if (item.kind === 'edit' && alike.length > 1) paragraph('', ...editReaders(alike), toChange(item));
        else tell(item);
      }
    },
    effect: (claim, missing) => {
      const style = missing.length === 0 ? 'green' : 'red';
      const sign = missing.length === 0 ? '✓' : '✗';
      const lines = wrap(claim, columns - gutter).map(
        (line, at) => `${(at === 0 ? `   ${sign}` : '').padEnd(gutter)}${line}`,
      );
      const wanted = indent(missing.flatMap(each => wrap(each, columns - gutter)));
      put('', ...[...lines, ...wanted].map(line => styled(style, line)));
    },
    lines: lines => put('', ...lines),
    closing: (success, [verdict = '', ...rest]) => {
      put('', '', '━'.repeat(columns), '');
      put(...wrap(verdict, columns).map(line => styled(['bold', success ? 'green' : 'red'], line)));
      for (const each of rest) put('', ...wrap(each, columns));
    },
  };
}

/** Text with its emoji and with quotations marked as in a mail. */
function asRead(text: string): string {
  return withEmoji(text).replace(/^>>> ?/gm, '> ');
}

type Edit = Extract<News, { kind: 'edit' }>;

function indent(lines: readonly string[]): string[] {
  return lines.map(line => `${' '.repeat(gutter)}${line}`);
}

function toChange({ message, before, text }: Edit): string {
  return changedLines(foldLabels(message, before), foldLabels(message, text)).join('\n');
}

/** The edits that everybody sees and that change the same as this one, itself included. */
function sameEdits(item: News, news: readonly News[]): Edit[] {
  if (item.kind !== 'edit') return [];
  return news
    .filter(each => each.kind === 'edit')
    .filter(
      each =>
        each === item || (each.reader === undefined && item.reader === undefined && toChange(each) === toChange(item)),
    );
}

/** Who sees a message, and where. */
function readers({ channel, message, reader }: Seen): [who: string, deed: string] {
  const place = `${message.threadTs === undefined ? 'in' : 'in a thread of'} #${channel.name}`;
  if (reader === undefined) return [`everybody ${place}`, `sees${message.pinned ? ', pinned' : ''}`];
  return channel.isIm ? [reader, 'gets a direct message'] : [`only ${reader}`, `sees, ${place}`];
}

/** Who sees messages change, and which. */
function editReaders(edits: readonly Seen[]): [who: string, deed: string] {
  const [reader] = edits.map(each => each.reader);
  const which = edits.map(({ channel, message }) =>
    message.pinned ? 'the pinned card' : `the message in #${channel.name}`,
  );
  return reader === undefined
    ? ['everybody', `sees ${which.join(' and ')} change`]
    : [`only ${reader}`, 'sees it change'];
}

function firstWords(text: string): string {
  const words = text.split(/\s+/);
  return words.length > 6 ? `${words.slice(0, 6).join(' ')} …` : words.join(' ');
}

/** A form as it was rendered, taken apart: its checkboxes each on a line of their own. */
function readForm(text: string): { title: string; lines: readonly string[]; foot: string } {
  const lines = withEmoji(text).split('\n');
  const title = /^== (.*) ==$/.exec(lines[0] ?? '')?.[1] ?? '';
  const body = lines.slice(1, -1).map(line => line.replace(/\?: (?=\[)/, '? ').replace(/ \[\]$/, ' [          ]'));
  return {
    title,
    lines: body.flatMap(line => line.replace(/ (?=\([x ]\) )/g, '\n  ').split('\n')),
    foot: lines.at(-1) ?? '',
  };
}
