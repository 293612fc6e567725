import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { forward } from '../chaos/failing-api.ts';

/** The moments at which a process is killed, in the life of a command. */
export const moments = [
  'before its command is stored',
  'between storing and acknowledging',
  'between the effect and storing the outcome',
  'between storing the outcome and telling it',
] as const;
/** One of {@link moments}. */
export type Moment = (typeof moments)[number];

/** Stands between one process, its database and its API, and sees what it does. */
export interface Tap extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly apiUrl: string;
}

/** What a tap needs. */
export interface TapOptions {
  readonly databaseUrl: string;
  readonly apiUrl: string;
  /** The API refuses everything. */
  isAway(): boolean;
  /** Whether the process dies at this moment. */
  isWanted(moment: Moment): boolean;
  /** Kills the process. From then on nothing passes that it has sent, and nothing reaches it. */
  strike(moment: Moment): void;
}

/** A statement that stores a delivery has its body among its values, and one that stores the outcome of a note what it came to. */
const signs = { delivery: /"act":\{"kind":/, outcome: /\{"activityItemID":/, commit: /commit\0/ } as const;

/** Opens the taps of one process. */
export async function openTap(options: TapOptions): Promise<Tap> {
  await using stack = new AsyncDisposableStack();
  const { isAway, isWanted, strike, apiUrl } = options;
  const sockets = new Set<Socket>();
  const target = new URL(options.databaseUrl);
  const databasePort = Number(target.port);

  const database = createServer(socket => {
    const beyond = connect(databasePort, target.hostname);
    for (const each of [socket, beyond]) {
      sockets.add(each.on('error', () => {}).on('close', () => sockets.delete(each)));
    }
    const end = () => {
      socket.destroy();
      beyond.destroy();
    };
    let awaited: Moment | undefined;
    let hasOutcome = false;
    const hit = (moment: Moment) => {
      strike(moment);
      end();
    };
    socket.on('close', end).on('data', chunk => {
      const text = chunk.toString('latin1');
      const [before, afterStore, , afterOutcome] = moments;
      if (signs.delivery.test(text)) {
        if (isWanted(before)) return hit(before);
        if (isWanted(afterStore)) awaited = afterStore;
      }
      hasOutcome ||= signs.outcome.test(text);
      if (signs.commit.test(text)) {
        if (hasOutcome && isWanted(afterOutcome)) awaited = afterOutcome;
        hasOutcome = false;
      }
      beyond.write(chunk);
    });
    beyond.on('close', end).on('data', chunk => {
      const moment = awaited;
      awaited = undefined;
      if (moment !== undefined && isWanted(moment)) hit(moment);
      else socket.write(chunk);
    });
  });

  const api = createHttpServer((incoming, response) => {
    response.on('error', () => {});
    const pass = async () => {
      if (isAway()) return void response.writeHead(503).end();
      const { status, type, body } = await forward(apiUrl, incoming);
      const moment = moments[2];
      if (incoming.url?.endsWith('.AddActivity') && status === 200 && isWanted(moment)) {
        strike(moment);
        return void response.destroy();
      }
      response.writeHead(status, { 'content-type': type }).end(body);
    };
    pass().catch(() => response.destroy());
  });

  const port = await listen(database, stack);
  const apiPort = await listen(api, stack);
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
    api.closeAllConnections();
  });
  const running = stack.move();
  target.port = String(port);
  return {
    databaseUrl: target.href,
    apiUrl: `http://127.0.0.1:${apiPort}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function listen(server: Server, stack: AsyncDisposableStack): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(async () => {
    await new Promise(resolve => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}
