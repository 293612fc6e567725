import { html } from 'hono/html';
import { type Html, toOneLine } from './escape.ts';
import { timeTag, writeMoment, writeSpan } from './moments.ts';

/** The time window of a dashboard in words. Ends are absolute, or relative to the moment at which it is opened. */
export function writeWindow(from: string, to: string): Html {
  if (from === '' && to === '') return html`<span class="quiet">not said</span>`;
  const relative = writeRelative(from.trim(), to.trim() || 'now');
  if (relative !== undefined) return html`${relative}`;
  const [start, end] = [readEnd(from), readEnd(to)];
  const length = start && end && end > start ? html` <span class="quiet">${writeSpan(start, end)}</span>` : '';
  return html`${writeEnd(from, start)} to ${writeEnd(to || 'now', end)}${length}`;
}

const units: Readonly<Record<string, string>> = {
  ...{ s: 'second', m: 'minute', h: 'hour', d: 'day' },
  ...{ w: 'week', M: 'month', y: 'year' },
};

/** `last 6 hours`, `today`, `this week`, `yesterday`; undefined for any other window. */
function writeRelative(from: string, to: string): string | undefined {
  const [, count = '', unit = ''] = /^now-([1-9]\d{0,4})([smhdwMy])$/.exec(from) ?? [];
  const name = units[unit];
  if (name !== undefined && to === 'now') return count === '1' ? `last ${name}` : `last ${count} ${name}s`;
  const [, whole = ''] = /^now\/([dwMy])$/.exec(from) ?? [];
  if (whole !== '' && (to === 'now' || to === from)) return whole === 'd' ? 'today' : `this ${units[whole]}`;
  return from === 'now-1d/d' && to === from ? 'yesterday' : undefined;
}

/** An absolute end of a time window: milliseconds since 1970, or a date; undefined for one like `now-6h`. */
function readEnd(written: string): Date | undefined {
  const text = written.trim();
  const time = /^\d{9,15}$/.test(text)
    ? Number(text)
    : /^\d{4}-\d\d-\d\d[T ]/.test(text)
      ? Date.parse(text)
      : Number.NaN;
  return Number.isFinite(time) && time < 8e15 && new Date(time).getUTCFullYear() < 10_000 ? new Date(time) : undefined;
}

function writeEnd(written: string, moment: Date | undefined): Html {
  return moment ? timeTag(moment, writeMoment(moment)) : html`<code>${toOneLine(written, 60)}</code>`;
}
