import { missingScope, slackReason } from '../../slack/clients.ts';
import type { SourceMessage } from '../../slack/source-message.ts';
import { settlesWithin } from '../../text/timeout.ts';
import { stripControls, toOneLine, toPlainText } from '../../text/words.ts';
import type { IncidentDeps } from '../acts/intent-kind.ts';

/**
 * The most characters that the files of a message take in its note. An error, a snippet or the end of a log is shorter. With the
 * longest words and the foot the note still fits into a body of the API (docs/api-rules.md A5).
 */
export const maxKept = 4096;

/** The endings of names of text files, for the ones of which Slack does not say so. */
const textName = /\.(?:txt|log|json|ya?ml|csv|tsv|md|conf|cfg|ini|toml|xml|sql|sh|diff|patch|out|err|trace)$/i;
const textType = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|x-ndjson|x-sh|sql|toml)$)/;

type File = SourceMessage['files'][number];

/** Whether a file is small, and text as far as its name or type says. */
function mayKeep({ id, name, mimetype, size }: File): boolean {
  return id !== '' && size <= maxKept && (textType.test(mimetype) || textName.test(name));
}

/**
 * The contents of a message's small text files, each between lines of ```, as its note keeps them; `""` when there are none. A file
 * that is not text, does not fit, or that Slack does not give in time, stands in the note by its name and link alone.
 */
export async function keepFiles(
  deps: Pick<IncidentDeps, 'slack' | 'deadlines' | 'log'>,
  { files }: SourceMessage,
): Promise<string> {
  const kept: string[] = [];
  let left = maxKept;
  const readAll = async () => {
    for (const file of files.filter(mayKeep)) {
      const block = toBlock(file.name, await read(deps, file.id));
      if (block === '' || block.length > left) continue;
      left -= block.length + 2;
      kept.push(block);
    }
  };
  if (!(await settlesWithin(deps.deadlines.noteFiles, readAll())))
    deps.log.info('timeline: Slack took too long to give a file');
  return kept.join('\n\n');
}

/** The text of a file; `""` when Slack does not give it. */
async function read({ slack, log }: Pick<IncidentDeps, 'slack' | 'log'>, id: string): Promise<string> {
  try {
    const file = await slack.readFile(id, maxKept);
    return 'text' in file ? file.text : '';
  } catch (error) {
    // A missing scope has its own warning, once (`missing-scopes.ts`).
    if (missingScope(error) === '') log.info({ reason: slackReason(error) }, 'timeline: Slack does not give a file');
    return '';
  }
}

/** A file's content between lines that it does not have itself; `""` when it is empty, or no text. */
function toBlock(name: string, content: string): string {
  const text = stripControls(content).trimEnd();
  if (text === '' || content.includes('\0')) return '';
  const longestRun = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longestRun + 1);
  return `${toOneLine(toPlainText(name))}:\n${fence}\n${text}\n${fence}`;
}
