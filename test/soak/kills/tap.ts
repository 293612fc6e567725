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
  'between a page and storing that it went out',
] as const;
/** One of {@link moments}. */
export type Moment = (typeof moments)[number];

/** Stands between one process, its database, its API and its pagers, and sees what it does. */
export interface Tap extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly apiUrl: string;
  readonly pagerUrl: string;
}

/** What a tap needs. */
export interface TapOptions {
  readonly databaseUrl: string;
  readonly apiUrl: string;
  readonly pagerUrl: string;
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
  const { isAway, isWanted, strike } = options;
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

  /** The process dies at the moment when a request to the target had its effect, and hears no answer. */
  const openDoor = async (targetUrl: string, moment: Moment, hasEffect: (path: string) => boolean) => {
    const door = createHttpServer((incoming, response) => {
      response.on('error', () => {});
      const pass = async () => {
        const { status, type, body } = await forward(targetUrl, incoming);
        if (status < 300 && hasEffect(incoming.url ?? '') && isWanted(moment)) {
          strike(moment);
          return void response.destroy();
        }
        response.writeHead(status, { 'content-type': type }).end(body);
      };
      if (targetUrl === options.apiUrl && isAway()) response.writeHead(503).end();
      else pass().catch(() => response.destroy());
    });
    const port = await listen(door, stack);
    stack.defer(() => door.closeAllConnections());
    return `http://127.0.0.1:${port}`;
  };

  const port = await listen(database, stack);
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
  });
  const apiUrl = await openDoor(options.apiUrl, moments[2], path => path.endsWith('.AddActivity'));
  const pagerUrl = await openDoor(options.pagerUrl, moments[4], () => true);
  const running = stack.move();
  target.port = String(port);
  return {
    ...{ databaseUrl: target.href, apiUrl, pagerUrl },
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
