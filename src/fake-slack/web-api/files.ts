import { SlackError } from '../protocol/slack-error.ts';
import { serializeFile } from '../workspace/serialize.ts';
import { anyOf, type Backend, hasScope, isMember, type Methods } from './method.ts';

/** Reading files that people uploaded. */
export const fileMethods: Methods = {
  'files.info': {
    scopes: anyOf('files:read'),
    run(backend, args) {
      const id = args.required('file');
      if (!findFile(backend, id)) throw new SlackError('file_not_found');
      return { file: serializeFile(backend.workspace, id) };
    },
  },
};

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
