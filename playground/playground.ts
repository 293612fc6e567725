import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { features } from '../src/bot/features.ts';
import { toManifest } from '../src/bot/manifest.ts';
import { type Deadlines, deadlines as usualDeadlines } from '../src/deadlines.ts';
import { addGroups, addPartner, addPeopleAndChannels, announceChannel, raiseAlert } from './cast.ts';
import type { FakeSlack } from './fake-slack/fake-slack.ts';
import { findRunning, newMark, tellRunning } from './running.ts';
import { type PlaygroundSystem, type SystemOptions, startSystem } from './system/system.ts';
import { type Manifest, toAppFace } from './workspace/app-face.ts';
import { ReadMarks } from './workspace/read-marks.ts';
import { keepWorkspace, loadWorkspace } from './workspace/saved-state.ts';
import { serveWorkspace } from './workspace/server.ts';

/** How a playground starts. */
export interface PlaygroundOptions {
  /** The folder for data, from the working folder on. The playground has a folder in it, `playground`. */
  readonly dataFolder: string;
  /** The port of the page, 0 for a free one. The next free one is taken when it is in use. */
  readonly port: number;
  /** Begins anew: what an earlier playground kept is removed. */
  readonly isFresh?: boolean;
  /** What differs from the usual behind the workspace. */
  readonly system?: Pick<SystemOptions, 'clock' | 'prepareBot' | 'slack' | 'latency' | 'deadlines' | 'program'>;
  /** Hears each error of the parts, one sentence each. */
  readonly onError: (sentence: string) => void;
}

/** A workspace to play in, with everything behind it. Disposing stops all of it and keeps its state. */
export interface Playground extends AsyncDisposable {
  /** Where the page is. */
  readonly url: string;
  /** Where its state is: an absolute path. */
  readonly folder: string;
  /** What is behind the page. */
  readonly system: PlaygroundSystem;
}

/** The folder of a playground, as an absolute path: the bot's process has another working folder, where a relative one leads elsewhere. */
function toFolder(dataFolder: string): string {
  return resolve(dataFolder, 'playground');
}

/** The address of the playground that runs with this folder for data; undefined for none. */
export function findPlayground(dataFolder: string, deadlines: Deadlines): Promise<string | undefined> {
  return findRunning(toFolder(dataFolder), deadlines);
}

/** Starts a playground, where the one before left off. A failed start stops what was begun. */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { dataFolder, port, isFresh = false, onError } = options;
  const folder = toFolder(dataFolder);
  if (isFresh) await rm(folder, { recursive: true, force: true });
  const file = join(folder, 'slack.json');
  const saved = await loadWorkspace(file);
  // An app of the fake Slack hears of no address: it is told where the bot is.
  const manifest = toManifest(features, { commandRoot: 'muster', publicUrl: 'http://localhost' });

  await using stack = new AsyncDisposableStack();
  let keeper: AsyncDisposable | undefined;
  // What the bot says while it stops is kept too.
  stack.defer(() => keeper?.[Symbol.asyncDispose]());
  const system = stack.use(
    await startSystem({
      ...options.system,
      folder,
      slack: { ...options.system?.slack, state: saved?.slack, manifest },
      populate: slack => {
        if (saved === undefined) populate(slack);
        else addGroups(slack);
      },
      announceChannel,
      onError,
    }),
  );
  const { slack } = system;
  const reads = new ReadMarks(saved?.reads);
  const attempts = system.troubles.of('workspace', reason => toUnkept(file, reason));
  keeper = keepWorkspace(file, { slack, reads }, attempts);
  const face = toAppFace(manifest as unknown as Manifest);
  const { deadlines = usualDeadlines } = options.system ?? {};
  const mark = newMark();
  const server = stack.use(await serveWorkspace({ slack, face, backstage: system, reads, deadlines, port, mark }));
  stack.use(await tellRunning(folder, { url: server.url, mark }));
  const running = stack.move();
  return {
    url: server.url,
    folder,
    system,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function toUnkept(file: string, reason: string): string {
  return `The playground cannot keep the workspace in ${file}: ${reason}. It tries again with the next change; until then, a stop loses what people wrote since. Make room there, or let the playground write there.`;
}

/** Everybody of the stories, visitors, a direct message with the app for all who may have one, and something to act on. */
function populate(slack: FakeSlack): void {
  addPeopleAndChannels(slack, { hasGuest: true });
  addPartner(slack);
  for (const person of slack.people) {
    const { isBot, isStranger } = person.record;
    if (!isBot && !isStranger) slack.openDm(person);
  }
  raiseAlert(slack);
}
