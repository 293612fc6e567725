import type { Deadlines } from '../../deadlines.ts';
import type { WebClient } from './bolt.ts';

/** Why a file was not read, other than an error of Slack's Web API. `bytes` is its size where that is known. */
export type FileProblem = 'too large' | 'elsewhere' | 'not given' | 'not text';

/**
 * Reads a file that a person posted, as UTF-8, with at most so many bytes. Throws the error of `files.info` (`missing_scope`,
 * `file_not_found` where the bot is not in its channel).
 */
export type FileReader = (id: string, mostBytes: number) => Promise<{ text: string } | { problem: FileProblem }>;

interface FileReaderOptions {
  readonly web: { readonly files: Pick<WebClient['files'], 'info'> };
  readonly botToken: string;
  /** Base address of the Web API; `""` for Slack's own. */
  readonly slackApiUrl: string;
  readonly deadlines: Deadlines;
  /** Carries the requests; absent: the process's own. */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * Makes the reader. The bot's token goes to Slack's own host and to no other, whatever address a file has: a redirect is not followed,
 * and a file that lives elsewhere is not read.
 */
export function createFileReader(options: FileReaderOptions): FileReader {
  const { web, botToken, slackApiUrl, deadlines, fetch: send = fetch } = options;
  return async (id, mostBytes) => {
    const { file } = await web.files.info({ file: id });
    const address = file?.url_private_download ?? file?.url_private ?? '';
    if (!isSlackFiles(address, slackApiUrl)) return { problem: 'elsewhere' };
    if ((file?.size ?? 0) > mostBytes) return { problem: 'too large' };
    return download(address, botToken, mostBytes, { deadlines, send });
  };
}

/** Whether an address is Slack's own for the contents of files. `slackApiUrl` is `""` for Slack's own. */
export function isSlackFiles(address: string, slackApiUrl: string): boolean {
  if (!URL.canParse(address)) return false;
  const { origin, protocol, hostname, port, username } = new URL(address);
  if (slackApiUrl !== '') return origin === new URL(slackApiUrl).origin;
  return protocol === 'https:' && hostname === 'files.slack.com' && port === '' && username === '';
}

async function download(
  address: string,
  token: string,
  mostBytes: number,
  { deadlines, send }: { deadlines: Deadlines; send: typeof fetch },
): ReturnType<FileReader> {
  try {
    const answer = await send(address, {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(deadlines.slack.file),
    });
    // Without the right to read it, Slack sends a page to sign in.
    const isPage = answer.headers.get('content-type')?.startsWith('text/html') ?? false;
    if (answer.status !== 200 || isPage || !answer.body) {
      await answer.body?.cancel();
      return { problem: 'not given' };
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body) {
      size += chunk.byteLength;
      if (size > mostBytes) return { problem: 'too large' };
      chunks.push(chunk);
    }
    return toText(Buffer.concat(chunks));
  } catch {
    return { problem: 'not given' };
  }
}

function toText(bytes: Buffer): { text: string } | { problem: FileProblem } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { problem: 'not text' };
  }
}
