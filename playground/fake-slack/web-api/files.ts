import { isJsonObject, type JsonObject, toText } from '../protocol/json.ts';
import { SlackError } from '../protocol/slack-error.ts';
import { post } from '../workspace/channel-log.ts';
import { serializeFile } from '../workspace/serialize.ts';
import type { Arguments } from './arguments.ts';
import { anyOf, type Backend, findOwnChannel, hasScope, isMember, type Methods } from './method.ts';

/** Reading files that people uploaded, and sharing one. */
export const fileMethods: Methods = {
  'files.info': {
    scopes: anyOf('files:read'),
    run(backend, args) {
      const id = args.required('file');
      if (!findFile(backend, id)) throw new SlackError('file_not_found');
      return { file: serializeFile(backend.workspace, id) };
    },
  },
  'files.getUploadURLExternal': {
    scopes: anyOf('files:write'),
    run({ workspace }, args) {
      const name = args.required('filename');
      const length = args.count('length', 0, Number.MAX_SAFE_INTEGER);
      if (length === 0) throw new SlackError('invalid_arguments');
      const id = workspace.nextId('F');
      workspace.awaited.set(id, { name, length, content: undefined });
      return { upload_url: `${workspace.filesOrigin}/upload/v1/${id}`, file_id: id };
    },
  },
  'files.completeUploadExternal': { scopes: anyOf('files:write'), run: completeUpload },
};

/** Shares uploaded files in a channel, in one message of the bot. */
function completeUpload(backend: Backend, args: Arguments): JsonObject {
  const { workspace } = backend;
  const wanted = args.json('files', 'invalid_arguments');
  const ids = Array.isArray(wanted) ? wanted.map(each => toText(isJsonObject(each) ? each.id : undefined)) : [];
  if (ids.length === 0) throw new SlackError('invalid_arguments');
  const channel = findOwnChannel(backend, args, 'channel_id');
  const files = ids.map(id => {
    const { name = '', content } = workspace.awaited.get(id) ?? {};
    if (content === undefined) throw new SlackError('file_not_found');
    return { id, name, content };
  });
  for (const { id, name, content } of files) {
    workspace.awaited.delete(id);
    const url = `${workspace.filesOrigin}/files-pri/${workspace.teamId}-${id}/${encodeURIComponent(name)}`;
    const facts = { id, name, content, url, mimetype: 'text/plain', created: workspace.seconds() };
    workspace.files.set(id, { ...facts, userId: workspace.botUserId, channelId: channel.id });
  }
  post(workspace, channel, {
    text: args.text('initial_comment') ?? '',
    userId: workspace.botUserId,
    botId: workspace.botId,
    threadTs: args.text('thread_ts'),
    files: ids,
    subtype: 'file_share',
  });
  return { files: ids.map(id => serializeFile(workspace, id)) };
}

/** Takes the content of a file at the address that `files.getUploadURLExternal` gave. False for any other address or length. */
export function takeUpload({ workspace }: Backend, path: string, content: string): boolean {
  const id = /^\/upload\/v1\/(F[A-Z0-9]+)$/.exec(path)?.[1] ?? '';
  const awaited = workspace.awaited.get(id);
  if (!awaited || Buffer.byteLength(content) !== awaited.length) return false;
  workspace.awaited.set(id, { ...awaited, content });
  return true;
}

/** What `url_private` answers: the content for the bot's token, and the page to sign in for everybody else (docs/slack.md 7). */
export function answerFile(
  backend: Backend,
  path: string,
  isBot: boolean,
): { status: number; headers: Record<string, string>; body: string } {
  const id = /^\/files-pri\/[^/]+-(F[A-Z0-9]+)\//.exec(path)?.[1] ?? '';
  const file = findFile(backend, id);
  if (!isBot || !hasScope(backend, 'files:read')) {
    const { teamDomain } = backend.workspace;
    return { status: 302, headers: { location: `https://${teamDomain}.slack.com/?redir=${path}` }, body: '' };
  }
  if (!file) return { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>Not found</html>' };
  return { status: 200, headers: { 'content-type': file.mimetype }, body: file.content };
}

/** A file that the bot sees: one in a channel where it is a member. */
function findFile(backend: Backend, id: string) {
  const { files, channels } = backend.workspace;
  const file = files.get(id);
  const channel = file && channels.get(file.channelId);
  return channel && isMember(backend, channel) ? file : undefined;
}
