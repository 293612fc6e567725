import { box, columns, styled, withEmoji, wrap } from './layout.ts';
import { changedLines, foldLabels, type Observation, type SeenMessage } from './observer.ts';

/** Writes the story for a reader who has never seen Muster, in lines of at most 100 columns. */
export interface Transcript {
  /** Begins the story: a title and paragraphs. */
  opening(title: string, paragraphs: readonly string[]): void;
  /** Begins a scene; `about` is a sentence or two of narration. Scenes are numbered. */
  scene(title: string, about: string): void;
  /** Records what somebody does, with the words they use if there are any. */
  does(now: Date, who: string, deed: string, words?: string): void;
  /** Records what people see of the app. */
  shows(observations: readonly Observation[]): void;
  /** Records whether a check passed. `problems` says what was expected or went wrong, a line each. */
  verdict(claim: string, problems: readonly string[]): void;
  /** Prints lines unchanged. */
  lines(lines: readonly string[]): void;
  /** Ends the story. The first paragraph is the result. */
  closing(success: boolean, paragraphs: readonly string[]): void;
}

/** Columns on the left, for times and ticks. */
const gutter = 7;

/** Opens a transcript that prints with `write`, piece by piece. */
export function openTranscript(write: (text: string) => void): Transcript {
  let scenes = 0;
  const put = (...lines: readonly string[]) => write(`${lines.map(line => line.trimEnd()).join('\n')}\n`);

  /** A sentence with `who` in bold, `mark` in the gutter, and `quoted` words below. */
  function paragraph(mark: string, who: string, deed: string, quoted = ''): void {
    const [first = '', ...more] = wrap(`${who} ${deed}${quoted === '' ? '' : ':'}`, columns - gutter);
    const head = `${styled('gray', mark.padEnd(gutter))}${styled('bold', who)}${first.slice(who.length)}`;
    const quote = quoted === '' ? [] : wrap(asRead(quoted), columns - gutter - 2);
    put('', head, ...indent(more), ...indent(quote.map(line => `${styled('gray', '│')} ${line}`)));
  }

  function show(item: Observation): void {
    switch (item.kind) {
      case 'form': {
        const { title, lines, foot } = readForm(item.text);
        paragraph('', `only ${item.reader}`, 'sees a form:');
        put(...indent(box(title, lines, foot)));
        break;
      }
      case 'home':
        paragraph('', `only ${item.reader}`, 'sees on the home tab of the app', item.text);
        break;
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
    scene: (title, about) => {
      scenes += 1;
      const head = `━━ ${scenes}. ${title} `;
      put('', '', styled(['bold', 'cyan'], `${head}${'━'.repeat(Math.max(0, columns - head.length))}`));
      put('', ...wrap(about, columns));
    },
    does: (now, who, deed, words) => paragraph(now.toISOString().slice(11, 16), who, deed, words),
    shows: observations => {
      const shown = new Set<Observation>();
      for (const item of observations) {
        if (shown.has(item)) continue;
        const alike = sameEdits(item, observations);
        for (const each of alike) shown.add(each);
        if (item.kind === 'edit' && alike.length > 1) paragraph('', ...editReaders(alike), toChange(item));
        else show(item);
      }
    },
    verdict: (claim, problems) => {
      const style = problems.length === 0 ? 'green' : 'red';
      const sign = problems.length === 0 ? '✓' : '✗';
      const lines = wrap(claim, columns - gutter).map(
        (line, at) => `${(at === 0 ? `   ${sign}` : '').padEnd(gutter)}${line}`,
      );
      const wanted = indent(problems.flatMap(each => wrap(each, columns - gutter)));
      put('', ...[...lines, ...wanted].map(line => styled(style, line)));
    },
    lines: lines => put('', ...lines),
    closing: (success, [result = '', ...rest]) => {
      put('', '', '━'.repeat(columns), '');
      put(...wrap(result, columns).map(line => styled(['bold', success ? 'green' : 'red'], line)));
      for (const each of rest) put('', ...wrap(each, columns));
    },
  };
}

/** Text with emoji as pictures, and with quotations marked as in a mail. */
function asRead(text: string): string {
  return withEmoji(text).replace(/^>>> ?/gm, '> ');
}

type Edit = Extract<Observation, { kind: 'edit' }>;

function indent(lines: readonly string[]): string[] {
  return lines.map(line => `${' '.repeat(gutter)}${line}`);
}

function toChange({ message, before, text }: Edit): string {
  return changedLines(foldLabels(message, before), foldLabels(message, text)).join('\n');
}

/** The edits that everybody sees and that change the same lines as this one; this one too. Empty for other observations. */
function sameEdits(item: Observation, observations: readonly Observation[]): Edit[] {
  if (item.kind !== 'edit') return [];
  return observations
    .filter(each => each.kind === 'edit')
    .filter(
      each =>
        each === item || (each.reader === undefined && item.reader === undefined && toChange(each) === toChange(item)),
    );
}

/** Who sees a message, and where: subject and verb. */
function readers({ channel, message, reader }: SeenMessage): [who: string, deed: string] {
  const place = `${message.threadTs === undefined ? 'in' : 'in a thread of'} #${channel.name}`;
  if (reader === undefined) {
    if (message.subtype === 'thread_broadcast')
      return [`everybody in #${channel.name}`, 'sees a reply, in the channel too'];
    return [`everybody ${place}`, `sees${message.pinned ? ', pinned' : ''}`];
  }
  return channel.isIm ? [reader, 'gets a direct message'] : [`only ${reader}`, `sees, ${place}`];
}

/** Who sees which messages change: subject and verb. */
function editReaders(edits: readonly SeenMessage[]): [who: string, deed: string] {
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

/** Takes a rendered form apart. Each checkbox gets its own line. */
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
