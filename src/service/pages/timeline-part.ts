import type { Context } from '../call/context.ts';
import { countBefore, type Show } from '../incidents/timeline-items.ts';
import type { IncidentRow } from '../store/tables.ts';

/** Timeline items on one page, and the most items of which a resolved incident shows all without being asked. */
const usual = { size: 100, unasked: 60 } as const;

/** What an address of an incident's page asks for; `""` where it says nothing. */
export interface Asked {
  readonly show: Show | '';
  readonly order: 'newest' | 'oldest' | '';
  /** The number of the page, from 1. */
  readonly page: string;
  /** So many items on one page, as on paper. */
  readonly size: '1000' | '';
  /** The id of an item that the page has. */
  readonly at: string;
  /** The browser asks for the page again and again. */
  readonly follow: 'on' | '';
}

/** Reads the query of an address. What is not known is nothing. */
export function readAsked(query: URLSearchParams): Asked {
  const one = <T extends string>(name: string, ...known: readonly T[]): T | '' =>
    known.find(each => each === query.get(name)) ?? '';
  return {
    show: one('show', 'key', 'all', 'notes', 'changes'),
    order: one('order', 'newest', 'oldest'),
    page: /^[1-9]\d{0,6}$/.exec(query.get('page') ?? '')?.[0] ?? '',
    size: one('size', '1000'),
    at: (query.get('at') ?? '').slice(0, 100),
    follow: query.has('follow') ? 'on' : '',
  };
}

/** The address of a page of an incident that shows what is asked. */
export function toAddress(address: string, asked: Partial<Asked>): string {
  const members = Object.entries(asked).filter(([, value]) => value !== '');
  return members.length === 0 ? address : `${address}?${new URLSearchParams(members)}`;
}

/** The part of a timeline on the page: which items, in which order, and which of its pages, from 1. */
interface TimelinePart {
  readonly show: Show;
  readonly order: 'newest' | 'oldest';
  readonly page: number;
  readonly pages: number;
  /** Items on one page. */
  readonly size: number;
}

/**
 * The part that is asked for. Unasked, an active incident has its newest items first, and a resolved one its oldest; of a long resolved
 * one, the key moments. An address of one item shows everything around it.
 */
export async function findPart(
  context: Pick<Context, 'db'>,
  { id, status }: Pick<IncidentRow, 'id' | 'status'>,
  counts: Readonly<Record<Show, number>>,
  asked: Asked,
): Promise<TimelinePart> {
  const isOver = status === 'resolved';
  const show = asked.show || (isOver && counts.all > usual.unasked && asked.at === '' ? 'key' : 'all');
  const order = asked.order || (isOver ? 'oldest' : 'newest');
  const size = Number(asked.size || usual.size);
  const pages = Math.max(1, Math.ceil(counts[show] / size));
  const isAt = asked.page === '' && asked.at !== '';
  const before = isAt ? await countBefore(context, id, { show, order, at: asked.at }) : 0;
  const page = isAt ? Math.floor(before / size) + 1 : Number(asked.page || 1);
  return { show, order, size, pages, page: Math.min(page, pages) };
}
