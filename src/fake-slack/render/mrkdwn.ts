import { decodeEntities } from '../protocol/entities.ts';
import type { Directory } from './directory.ts';

/** Renders mrkdwn as the plain text a person reads: names for references, no marks, decoded entities. */
export function renderMrkdwn(directory: Directory, text: string): string {
  // A backtick within a reference marks no code.
  return text
    .replace(/<[^<>]*>/g, reference => reference.replaceAll('`', '\uE001'))
    .split(/(```[\s\S]*?```|`[^`\n]+`)/)
    .map((part, index) => {
      if (index % 2 === 0) return dropMarks(part, inner => renderReferences(directory, inner));
      return renderReferences(directory, part.startsWith('```') ? part.slice(3, -3) : part.slice(1, -1));
    })
    .join('')
    .replaceAll('\uE001', '`');
}

/** Renders `<…>` references and entities only. */
export function renderReferences(directory: Directory, text: string): string {
  return text
    .split(/(<[^<>]*>)/)
    .map((part, index) => (index % 2 === 0 ? decodeEntities(part) : renderReference(directory, part.slice(1, -1))))
    .join('');
}

/** Stands after every mention that alarms everybody, such as `@channel`. */
export const broadcastSign = '!!!';

/** Renders a mention that alarms people so that nobody overlooks it in a test or in the demo. */
export function renderBroadcast(range: string): string {
  return `@${range} ${broadcastSign}`;
}

function renderReference(directory: Directory, inner: string): string {
  const [target = '', ...labels] = inner.split('|');
  const label = labels.length === 0 ? undefined : decodeEntities(labels.join('|'));
  if (target.startsWith('@')) return `@${directory.personName(target.slice(1)) ?? label ?? target.slice(1)}`;
  if (target.startsWith('#')) return `#${directory.channelName(target.slice(1)) ?? label ?? target.slice(1)}`;
  if (target.startsWith('!date^')) return renderDate(target, label);
  if (target.startsWith('!subteam^')) {
    const id = target.slice('!subteam^'.length);
    return `@${directory.groupHandle(id) ?? label?.replace(/^@/, '') ?? id}`;
  }
  if (target.startsWith('!')) return renderBroadcast(target.slice(1));
  const url = decodeEntities(target);
  const shown = url.replace(/^mailto:/, '');
  return label === undefined || label === shown ? shown : `${label} (${url})`;
}

/** Renders `<!date^seconds^format^link|fallback>` for a reader in UTC; an invalid time or format gives the fallback. */
function renderDate(target: string, fallback: string | undefined): string {
  const [, seconds = '', format = '', link] = target.split('^');
  const date = new Date(Number(seconds) * 1000);
  if (!/^\d+$/.test(seconds) || Number.isNaN(date.getTime())) return fallback ?? '';
  const part = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', ...options }).format(date);
  const day = date.toISOString().slice(0, 10);
  const long = part({ month: 'long', day: 'numeric', year: 'numeric' });
  const short = part({ month: 'short', day: 'numeric', year: 'numeric' });
  const words: Record<string, string> = {
    date_num: day,
    date_slash: part({ month: '2-digit', day: '2-digit', year: 'numeric' }),
    date: long,
    date_pretty: long,
    date_short: short,
    date_short_pretty: short,
    date_long: part({ weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' }),
    date_long_pretty: part({ weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' }),
    date_long_full: part({ weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' }),
    day_divider_pretty: part({ weekday: 'long', month: 'long', day: 'numeric' }),
    time: part({ hour: 'numeric', minute: '2-digit' }),
    time_secs: part({ hour: 'numeric', minute: '2-digit', second: '2-digit' }),
    ago: `at ${day} ${date.toISOString().slice(11, 16)} UTC`,
  };
  const isKnown = [...format.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => name in words);
  if (!isKnown) return fallback ?? '';
  const text = format.replace(/\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole).replaceAll('\u202f', ' ');
  return link === undefined ? text : `${text} (${link})`;
}

/** Marks of bold, italic and struck text. Slack reads them as marks only between their text and a non-word character. */
const marks: readonly RegExp[] = [
  /(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]*[^\s*])\*(?![\p{L}\p{N}*])/gu,
  /(?<![\p{L}\p{N}_])_(?=\S)([^_\n]*[^\s_])_(?![\p{L}\p{N}_])/gu,
  /(?<![\p{L}\p{N}~])~(?=\S)([^~\n]*[^\s~])~(?![\p{L}\p{N}~])/gu,
];

/** Removes the marks of bold, italic and struck text where Slack reads them as marks. */
function dropMarks(text: string, render: (text: string) => string): string {
  const pieces = text.split(/(<[^<>]*>)/);
  const held: string[] = [];
  const flat = pieces
    .map((piece, index) => {
      if (index % 2 === 0) return piece;
      held.push(piece);
      return `\uE000${held.length - 1}\uE000`;
    })
    .join('');
  const bare = marks.reduce((left, mark) => left.replace(mark, '$1'), flat);
  const restored = bare.replace(/\uE000(\d+)\uE000/g, (_, index: string) => held[Number(index)] ?? '');
  return render(restored);
}
