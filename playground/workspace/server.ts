import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Deadlines } from '../../src/deadlines.ts';
import type { FakeSlackBase } from '../fake-slack/fake-slack.ts';
import { createApp } from './app.ts';
import type { AppFace } from './app-face.ts';
import { type Backstage, BackstageView } from './backstage.ts';
import { Feeds } from './feeds.ts';
import { listenLocally } from './listen-locally.ts';
import { ReadMarks } from './read-marks.ts';

/** What the server shows. */
export interface WorkspaceServerOptions {
  readonly slack: FakeSlackBase;
  /** The app's commands and shortcuts. */
  readonly face: AppFace;
  readonly backstage: Backstage;
  readonly reads?: ReadMarks;
  readonly deadlines: Deadlines;
  /** The port, 0 for a free one. The next free one is taken when it is in use. */
  readonly port: number;
  /** Tells this server from any other program at its address. */
  readonly mark?: string;
}

/** The workspace in a browser, on this machine alone. Disposing ends every connection. */
export interface WorkspaceServer extends AsyncDisposable {
  /** `http://localhost:<port>`. */
  readonly url: string;
  readonly port: number;
}

/** Ports that are tried after one that is taken. */
const tries = 20;

/** Serves the workspace. */
export async function serveWorkspace(options: WorkspaceServerOptions): Promise<WorkspaceServer> {
  const { slack, face, backstage, deadlines, reads = new ReadMarks(), mark = '' } = options;
  const feeds = new Feeds({ slack, face, reads, deadlines, backstage: new BackstageView(backstage) });
  const app = createApp({ slack, face, reads, feeds, backstage }, mark);
  const server = createServer(getRequestListener(request => app.fetch(request), { overrideGlobalObjects: false }));
  const port = await listenLocally(server, toPorts(options.port));
  return {
    url: `http://localhost:${port}`,
    port,
    [Symbol.asyncDispose]: async () => {
      feeds[Symbol.dispose]();
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function toPorts(wanted: number): readonly number[] {
  return wanted === 0 ? [0] : Array.from({ length: tries + 1 }, (_, next) => wanted + next);
}
