import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assemble } from './assembly.ts';
import type { DirectFakeSlack, FakeSlack, FakeSlackBase, FakeSlackOptions } from './interface.ts';
import { renderMessageText, renderViewText } from './render/render.ts';
import { type AppHandler, DirectLine } from './to-app/direct-line.ts';
import { HttpLine } from './to-app/http-line.ts';
import { SocketServer } from './to-app/socket.ts';
import { createDirectFetch } from './web-api/direct-fetch.ts';
import { answerHttp } from './web-api/http-answer.ts';
import { noticeSubtypes } from './workspace/channel-log.ts';
import type { OpenView } from './workspace/modals.ts';
import type { Message } from './workspace/records.ts';
import { slackbotId, type Workspace } from './workspace/workspace.ts';

export type { DirectFakeSlack, FakeSlack, FakeSlackBase, FakeSlackOptions } from './interface.ts';

export type { FormValues } from './people/form-values.ts';
export type { Person } from './people/person.ts';
export type { AppAnswer } from './people/person-context.ts';
export type { Delivery } from './to-app/deliveries.ts';
export type { AppHandler } from './to-app/direct-line.ts';
export type { CallOutcome } from './web-api/endpoint.ts';
export type { Fault } from './web-api/faults.ts';
export type { OpenView } from './workspace/modals.ts';
export type { Change, Channel, Message, PersonRecord } from './workspace/records.ts';

export type { SlackState } from './workspace/state.ts';

/** Starts a fake Slack on a free port of this machine. Disposing ends every connection at once. */
export async function openFakeSlack(options: FakeSlackOptions & { readonly port?: number } = {}): Promise<FakeSlack> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const line = new HttpLine();
  const openSockets = (workspace: Workspace, onChange: () => void) => new SocketServer(workspace, onChange);
  const { slack, endpoint, sockets } = assemble(options, { origin, line, openSockets });
  server.on('request', (request, response) => answerHttp(endpoint, request, response));
  server.on('upgrade', (request, stream, head) => sockets?.upgrade(request, stream, head));
  return Object.assign(slack, {
    connectApp: (requestUrl: string) => line.connect(requestUrl),
    async [Symbol.asyncDispose]() {
      line.close();
      sockets?.terminate();
      await new Promise<void>(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  });
}

/**
 * Makes a fake Slack inside this process: no server, no sockets, and no timers but the global `setTimeout`, so that a test
 * which replaces the global timers drives it.
 */
export function createFakeSlack(options: FakeSlackOptions = {}): DirectFakeSlack {
  const origin = 'http://fake-slack.invalid';
  const line = new DirectLine();
  const { slack, endpoint } = assemble(options, { origin, line });
  return Object.assign(slack, {
    fetch: createDirectFetch(endpoint, origin),
    connectApp: (deliver: AppHandler) => line.connect(deliver),
  });
}

/** Renders a message as the plain text a person reads. A mention that alarms everybody shows as `@channel !!!`. */
export function renderMessage(fake: Pick<FakeSlackBase, 'directory'>, message: Message): string {
  return renderMessageText(fake.directory, message);
}

/** Renders a modal or home tab as plain text, with what is filled in and the errors. */
export function renderView(fake: Pick<FakeSlackBase, 'directory'>, view: OpenView): string {
  return renderViewText(fake.directory, view);
}

/** Whether Slack itself wrote a message, such as “has joined the channel”. */
export function isNotice(message: Message): boolean {
  return noticeSubtypes.has(message.subtype ?? '');
}

/** The user who posts Slack's own messages. */
export function isSlackbot(userId: string): boolean {
  return userId === slackbotId;
}
