import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import { z } from 'zod';
import { context } from '../../text/blocks.ts';
import type { Context } from '../feature/context.ts';
import { type Button, defineButton, pressable } from '../feature/feature.ts';

/** A page of a list, and how many there are. Pages count from 0. */
interface PagePosition {
  readonly page: number;
  readonly pages: number;
}

/** Makes the buttons of a list: `<id>.previous` and `<id>.next`. `show` replaces the message with a page of the list. */
export function definePager<V extends object>(list: {
  readonly id: string;
  readonly value: z.ZodType<V>;
  show(ctx: Context, value: V, page: number): Promise<void>;
}) {
  const value = z.intersection(list.value, z.object({ page: z.number() }));
  const turn = (name: string, label: string) =>
    defineButton<V & { page: number }>({
      id: `${list.id}.${name}`,
      label,
      reads: true,
      value,
      run: (ctx, press) => list.show(ctx, press.value, press.value.page),
    });
  const previous = turn('previous', '‹ Previous');
  const next = turn('next', 'Next ›');
  return {
    /** The feature lists them among its buttons. */
    buttons: [previous, next] as Button[],
    /** The buttons that lead on from a page of a list: none where it is the only one. */
    turns: (which: V, { page, pages }: PagePosition): readonly ActionsBlockElement[] => [
      ...(page > 0 ? [pressable(previous, { ...which, page: page - 1 })] : []),
      ...(page + 1 < pages ? [pressable(next, { ...which, page: page + 1 })] : []),
    ],
  };
}

/** The page that is shown when `wanted` is asked for: pages that were there may be gone. */
export function clampPage(wanted: number, pages: number): PagePosition {
  return { page: Math.min(Math.max(0, wanted), pages - 1), pages };
}

/** `Page 2 of 5`; nothing for the only page. */
export function pageLine({ page, pages }: PagePosition): readonly KnownBlock[] {
  return pages > 1 ? [context(`Page ${page + 1} of ${pages}`)] : [];
}
