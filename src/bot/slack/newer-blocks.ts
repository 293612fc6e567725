import type { Logger } from 'pino';
import { z } from 'zod';

/** Whether newer blocks are sent where Slack takes them, or never (the setting `BLOCKS`). */
export type BlocksMode = 'auto' | 'classic';

/** How long a refusal is remembered, in milliseconds: a day. */
const remembered = 86_400_000;

/** Remembers for a day which newer blocks the workspace refuses (docs/decisions.md, Newer blocks). */
export class NewerBlocks {
  readonly #mode: BlocksMode;
  readonly #steady: () => number;
  readonly #log: Logger;
  /** When each is tried again. */
  readonly #until = new Map<string, number>();

  /** `steady`: milliseconds of a clock that never steps. */
  constructor(deps: { readonly mode: BlocksMode; readonly steady: () => number; readonly log: Logger }) {
    this.#mode = deps.mode;
    this.#steady = deps.steady;
    this.#log = deps.log;
  }

  /** Whether one of these types of blocks is not to be sent. */
  areRefused(types: readonly string[]): boolean {
    if (this.#mode === 'classic') return true;
    const now = this.#steady();
    return types.some(type => (this.#until.get(type) ?? now) > now);
  }

  /** Slack refused these types and not the classic blocks in their place. */
  remember(types: readonly string[]): void {
    for (const type of types) this.#until.set(type, this.#steady() + remembered);
    this.#log.info({ types }, 'slack: the workspace refuses newer blocks, so it gets classic ones for a day');
  }
}

/**
 * The same `fetch` for calls whose blocks carry others in their place (`bot/text/newer-blocks.ts`): Slack gets one of the two. When it
 * refuses the newer ones, the classic ones follow at once. A refused call has had no effect, so nothing shows twice.
 */
export function withClassicBlocks(send: typeof fetch, newer: NewerBlocks): typeof fetch {
  return async (input, init) => {
    const layouts = toLayouts(init?.body);
    if (!layouts) return send(input, init);
    const sendClassic = () => send(input, { ...init, body: layouts.classic });
    if (newer.areRefused(layouts.types)) return sendClassic();
    const answer = await send(input, { ...init, body: layouts.newer });
    if (!(await refusesBlocks(answer))) return answer;
    const second = await sendClassic();
    // Otherwise something else is wrong with the message.
    if (!(await refusesBlocks(second))) newer.remember(layouts.types);
    return second;
  };
}

/** A body in both layouts, and the types of its newer blocks. */
interface Layouts {
  readonly newer: string;
  readonly classic: string;
  readonly types: readonly string[];
}

const Carrying = z.looseObject({ type: z.string(), classic: z.array(z.unknown()) });
const Holder = z.looseObject({ blocks: z.array(z.unknown()) });

/** Both layouts of a body, as Slack's client and Bolt write it: a form, or JSON for a `response_url`. Undefined when it has one. */
function toLayouts(body: unknown): Layouts | undefined {
  if (typeof body !== 'string' || !/(?:"|%22)classic(?:"|%22)/.test(body)) return undefined;
  if (body.startsWith('{')) return splitHolder(body);
  const form = new URLSearchParams(body);
  const name = form.has('view') ? 'view' : 'blocks';
  const value = form.get(name) ?? '';
  const split = name === 'view' ? splitHolder(value) : splitList(value);
  if (!split) return undefined;
  const filled = (json: string) => {
    form.set(name, json);
    return form.toString();
  };
  return { newer: filled(split.newer), classic: filled(split.classic), types: split.types };
}

function splitHolder(json: string): Layouts | undefined {
  const holder = Holder.safeParse(JSON.parse(json)).data;
  const split = holder && splitBlocks(holder.blocks);
  if (!split) return undefined;
  const filled = (blocks: readonly unknown[]) => JSON.stringify({ ...holder, blocks });
  return { newer: filled(split.newer), classic: filled(split.classic), types: split.types };
}

function splitList(json: string): Layouts | undefined {
  const blocks = z.array(z.unknown()).safeParse(JSON.parse(json)).data;
  const split = blocks && splitBlocks(blocks);
  return split && { ...split, newer: JSON.stringify(split.newer), classic: JSON.stringify(split.classic) };
}

function splitBlocks(blocks: readonly unknown[]) {
  const pairs = blocks.map(block => {
    const { data } = Carrying.safeParse(block);
    if (!data) return { newer: block, classic: [block], types: [] };
    const { classic, ...newer } = data;
    return { newer, classic, types: [data.type] };
  });
  const types = [...new Set(pairs.flatMap(pair => pair.types))];
  if (types.length === 0) return undefined;
  return { newer: pairs.map(pair => pair.newer), classic: pairs.flatMap(pair => pair.classic), types };
}

const Refusal = z.object({
  error: z.string(),
  response_metadata: z.object({ messages: z.array(z.string()) }).optional(),
});

/** Whether Slack's answer is that it does not take the blocks (docs/slack.md 12). */
async function refusesBlocks(response: Response): Promise<boolean> {
  const text = await response.clone().text();
  // A `response_url` may say it in a bare word.
  if (text.trim() === 'invalid_blocks') return true;
  const refusal = readRefusal(text);
  if (refusal?.error === 'invalid_blocks') return true;
  if (refusal?.error !== 'invalid_arguments') return false;
  return refusal.response_metadata?.messages.some(each => each.includes('/blocks')) ?? false;
}

function readRefusal(text: string): z.output<typeof Refusal> | undefined {
  try {
    return Refusal.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
