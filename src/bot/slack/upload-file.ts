import type { Deadlines } from '../../deadlines.ts';
import type { WebClient } from './bolt.ts';
import { isSlackFiles } from './files.ts';

/** Shares a text file. Throws Slack's refusals (`missing_scope`), and an Error when Slack does not take the content. */
export type FileUploader = (upload: {
  /** A channel's id, also that of a direct message. */
  readonly channel: string;
  readonly threadTs: string;
  readonly name: string;
  readonly text: string;
}) => Promise<void>;

interface FileUploaderOptions {
  readonly once: { readonly files: Pick<WebClient['files'], 'getUploadURLExternal' | 'completeUploadExternal'> };
  /** Base address of the Web API; `""` for Slack's own. */
  readonly slackApiUrl: string;
  readonly deadlines: Deadlines;
  /** Carries the requests; absent: the process's own. */
  readonly fetch?: typeof fetch | undefined;
}

/** Makes the uploader. The content goes to Slack's own host and to no other (docs/slack.md 7). */
export function createFileUploader(options: FileUploaderOptions): FileUploader {
  const { once, slackApiUrl, deadlines, fetch: send } = options;
  return async ({ channel, threadTs, name, text }) => {
    const bytes = Buffer.from(text);
    const { upload_url: address = '', file_id: id = '' } = await once.files.getUploadURLExternal({
      filename: name,
      length: bytes.byteLength,
    });
    if (!isSlackFiles(address, slackApiUrl)) throw new Error('Slack named a host of somebody else for an upload.');
    const answer = await (send ?? fetch)(address, {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
      redirect: 'manual',
      signal: AbortSignal.timeout(deadlines.slack.file),
    });
    await answer.body?.cancel();
    if (answer.status !== 200) throw new Error(`Slack did not take a file: ${answer.status}`);
    const files: [{ id: string; title: string }] = [{ id, title: name }];
    await once.files.completeUploadExternal({ files, channel_id: channel, thread_ts: threadTs });
  };
}
