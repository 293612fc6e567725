import { expressionBuilder } from 'kysely';
import type { Context } from '../call/context.ts';
import { invalidArgument } from '../call/errors.ts';
import { findWorst } from '../incidents/figures.ts';
import { byCreation, readInPieces, walk } from '../incidents/in-pieces.ts';
import { findLabels } from '../store/incident-labels.ts';
import { findMemberships } from '../store/memberships.ts';
import type { Tables } from '../store/tables.ts';
import { formatTime, toSeconds } from '../store/time.ts';
import { toVisibleText } from './escape.ts';
import { findTyped, readFilters, toChosen } from './filters.ts';
import { toPath } from './incidents.ts';
import { isLead, toLabelWords } from './marks.ts';

const mostIncidents = 20_000;

const incident = expressionBuilder<Tables, 'incident'>();

const head = [
  ...['number', 'title', 'status', 'severity', 'worst severity', 'drill', 'declared', 'started', 'ended'],
  ...['duration in seconds', 'commander', 'labels', 'address'],
];

/**
 * The incidents of a list as CSV (RFC 4180), the newest first: times in UTC (RFC 3339), the duration of resolved ones in seconds.
 * Throws `invalid_argument` for a malformed query, and for more incidents than a file takes, so that none is missing unsaid.
 */
export async function incidentsCsv(context: Context, query: URLSearchParams): Promise<ReadableStream<Uint8Array>> {
  const filters = readFilters(query);
  const where = incident.and([await findTyped(context, filters), toChosen(context, filters)]);
  let many = 0;
  for await (const those of walk(context, where, { keys: byCreation, direction: 'DESC' })) {
    many += those.length;
    if (many > mostIncidents)
      throw invalidArgument(`More than ${mostIncidents} incidents match. Search for fewer, as in declared:365d.`);
  }
  return ReadableStream.from(writeLines(context, where)).pipeThrough(new TextEncoderStream());
}

async function* writeLines(context: Context, where: Parameters<typeof readInPieces>[1]): AsyncGenerator<string> {
  yield toLine(head);
  for await (const rows of readInPieces(context, where)) yield (await toLines(context, rows)).join('');
}

async function toLines(context: Context, rows: readonly Tables['incident'][]): Promise<string[]> {
  const { db, options } = context;
  const ids = rows.map(each => each.id);
  const labels = await findLabels(db, ids);
  const memberships = await findMemberships(context, ids);
  const worst = await findWorst(db, rows, options);
  return rows.map(row => {
    const leads = memberships.get(row.id)?.assignments.filter(each => isLead(each.role)) ?? [];
    const own = labels.get(row.id) ?? [];
    const isOver = row.status !== 'active' && row.ended_at !== null;
    return toLine([
      ...[String(row.id), row.title, row.status === 'active' ? 'open' : row.status, row.severity, worst(row)],
      ...[row.is_drill === 1 ? 'yes' : 'no', formatTime(row.created_at), formatTime(row.started_at)],
      ...[formatTime(row.ended_at), isOver ? String(toSeconds(row.started_at, row.ended_at ?? 0)) : ''],
      leads.map(each => each.user.name).join(', '),
      own.map(({ key, label }) => toLabelWords(key, label)).join(', '),
      `${options.rootUrl}${toPath(row)}`,
    ]);
  });
}

function toLine(cells: readonly string[]): string {
  return `${cells.map(toCell).join(',')}\r\n`;
}

/** A cell in quotes where it needs them. A spreadsheet would compute what begins as a formula does, so a quote precedes it. */
function toCell(text: string): string {
  const shown = toVisibleText(text);
  const inert = /^[\s]*[=+\-@]|^[\t\r]/.test(shown) ? `'${shown}` : shown;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
