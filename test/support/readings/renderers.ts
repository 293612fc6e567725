import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { sources } from '../imports.ts';

const root = new URL('../../../', import.meta.url);

/** A declaration that makes blocks, views or words of messages: `features/task/list.ts, taskRow`. */
export interface Renderer {
  readonly name: string;
  readonly path: string;
  /** Where in the file it calls a builder, as offsets of characters. */
  readonly calls: readonly number[];
}

/** Where the builders are. A function there is one when its type says that it makes a part of a message or view. */
const builderFiles = [
  'src/bot/text/blocks.ts',
  'src/bot/text/spoken.ts',
  'src/bot/dispatch/forms/modal.ts',
  'src/bot/dispatch/feature/feature.ts',
];
const parts = /\b(?:KnownBlock|InputBlock|Words|Message|ModalView|ConfirmationDialog|ButtonElement|UsersSelect)\b/;

const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** The names of the functions that make parts of messages and views. */
function builders(): readonly string[] {
  return builderFiles.flatMap(path =>
    [
      ...read(path).matchAll(
        /^export function (\w+)[\s\S]*?\n?\): ([^\n]+) \{$|^export function (\w+).*\): ([^\n]+) \{$/gm,
      ),
    ]
      .filter(([, , type = '', , sameLine = '']) => parts.test(type || sameLine))
      .map(([, name, , other]) => name ?? other ?? ''),
  );
}

/** Every renderer of the bot, found in its code. */
export function findRenderers(): readonly Renderer[] {
  const call = new RegExp(`\\b(?:${builders().join('|')})\\(|\\bblocks: (?!readonly|KnownBlock|Block)`, 'g');
  return sources
    .filter(path => path.startsWith('src/bot/') && !builderFiles.includes(path))
    .flatMap(path => {
      const source = read(path);
      const heads = [...source.matchAll(/^(?:export )?(?:async )?(?:function|const|class) (\w+)/gm)];
      return heads.flatMap((head, index) => {
        const own = source.slice(head.index, heads[index + 1]?.index);
        const calls = [...own.matchAll(call)].map(match => head.index + match.index);
        return calls.length === 0 ? [] : [{ name: `${path.replace('src/bot/', '')}, ${head[1]}`, path, calls }];
      });
    });
}

/**
 * Watches which renderers run from here on. Only Node’s own loader keeps the places of the code, so this is of no use within Vitest.
 */
export async function watchRenderers() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    /** Those that made nothing so far. */
    idle: async (): Promise<readonly string[]> => {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const scripts = new Map(
        result.filter(each => each.url.startsWith('file:')).map(each => [fileURLToPath(each.url), each.functions]),
      );
      const hasRun = ({ path, calls }: Renderer): boolean => {
        const ranges = (scripts.get(fileURLToPath(new URL(path, root))) ?? []).flatMap(each => each.ranges);
        return calls.some(at => {
          const around = ranges.filter(each => each.startOffset <= at && at < each.endOffset);
          const length = (each: (typeof around)[number]) => each.endOffset - each.startOffset;
          const innermost = around.reduce<(typeof around)[number] | undefined>(
            (least, each) => (least && length(least) < length(each) ? least : each),
            undefined,
          );
          return (innermost?.count ?? 0) > 0;
        });
      };
      return findRenderers()
        .filter(each => !hasRun(each))
        .map(each => each.name);
    },
  };
}
