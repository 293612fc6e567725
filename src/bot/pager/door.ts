import type { RequestListener } from 'node:http';
import { z } from 'zod';
import { createHookDoor, type HookDeps, NotGenuine } from '../alerts/hook-door.ts';
import { parseBody } from '../alerts/parse-body.ts';
import { UnreadableAlert } from '../alerts/read/unreadable.ts';
import type { Pager, PagerNews } from './pager.ts';

/** Where pagers answer: `/hooks/pages/<name>`. */
const pagesPath = '/hooks/pages/';

/** What the door is made with. */
interface DoorDeps extends Pick<HookDeps<Pager>, 'observe' | 'deadlines' | 'clock' | 'log'> {
  readonly pagers: readonly Pager[];
  /** Stores what a pager says of a page. Resolves when it is durable. */
  readonly hear: (pager: string, heard: PagerNews) => Promise<void>;
}

/** The one answer to an unknown name, no signature and a wrong one. */
const noEntry = { why: 'There is no such pager, or the signature is not its signature.' };

/** Takes what pagers say of pages. It checks the signature before it parses the body. */
export function createPageDoor({ pagers, hear, ...rest }: DoorDeps): RequestListener {
  const byName = new Map(pagers.map(each => [each.name, each]));
  return createHookDoor<Pager>({
    ...{ many: 'pages', one: 'answer', noEntry, ...rest },
    check: ({ url = '' }) => {
      const [path = ''] = url.split('?', 1);
      const source = byName.get(path.slice(pagesPath.length));
      return { source, name: source?.name ?? '', why: source ? '' : 'unknown pager' };
    },
    take: async (pager, body, headers) => {
      if (!pager.isGenuine(headers, body)) throw new NotGenuine('wrong signature');
      const heard = read(pager, parseBody(body));
      if (heard) await hear(pager.name, heard);
      return 'stored';
    },
  });
}

function read(pager: Pager, body: unknown): PagerNews | undefined {
  try {
    return pager.hear(body);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const [{ path = [] } = {}] = error.issues;
    throw new UnreadableAlert(`The body has no ${path.join('.') || 'object'} that can be read.`);
  }
}
