import { setTimeout as wait } from 'node:timers/promises';
import { openCast } from '../cast.ts';
import { elsewhere } from '../stories/elsewhere.ts';
import { onDuty } from '../stories/on-duty.ts';
import { oneIncident } from '../stories/one-incident.ts';
import type { Story, Tale } from '../story.ts';
import type { StorySystem } from '../story-system.ts';
import type { Transcript } from '../transcript.ts';
import type { Act, StoryView, SystemView } from '../workspace/protocol.ts';
import type { BotProcess } from './bot-process.ts';
import type { JournalWatch } from './journal-watch.ts';
import { openPlayer, type Perform } from './player.ts';
import type { Wire } from './wire.ts';

/** Milliseconds without a line on the wire after which nothing more comes of a deed; fewer of a bot that says itself when it is done. */
const stillness = { usual: 300, hurried: 100 };

/** The stories that play in the workspace, by name. */
export const tales: Readonly<Record<string, Tale>> = {
  incident: { ...oneIncident, title: 'One incident, from the alert to the end' },
  duty: { ...onDuty, title: 'A grave incident: who comes, what is owed, who joins late' },
  elsewhere: {
    title: 'Incidents that begin elsewhere',
    introduction: [],
    scenes: [elsewhere],
    plot: [
      'Alice opens a room for an incident that an alert declared.',
      'Bob links another one to #database.',
      'Bob asks to unlink it.',
      'Bob unlinks it.',
      'Bob links one to #security, which is private.',
      'Bob says that he means it.',
    ],
  },
};

/** Nobody reads the transcript of a story that plays in the workspace: they see it happen. */
export const unread: Transcript = {
  opening: () => undefined,
  scene: () => undefined,
  does: () => undefined,
  shows: () => undefined,
  verdict: () => undefined,
  lines: () => undefined,
  closing: () => undefined,
};

/** The parts of a running system that stories need. */
export interface Stage
  extends Pick<StorySystem, 'slack' | 'operator' | 'pagesUrl' | 'clock' | 'deadlines' | 'watchdog' | 'pager'> {
  readonly wire: Wire;
  readonly journal: JournalWatch;
  readonly facts: () => SystemView;
  readonly bot: Pick<BotProcess, 'hurry'>;
}

/** The stories of a workspace. Disposing stops those that play. */
export interface LiveStories extends AsyncDisposable {
  facts(): readonly StoryView[];
  /** Does what somebody asks of a story. Throws with a sentence when there is none of that name. */
  play(act: Extract<Act, { do: 'story' }>): void;
}

/** Opens the stories of a running system. `changed` is called whenever their facts change. */
export function openLiveStories(stage: Stage, changed: () => void): LiveStories {
  const system = toStorySystem(stage);
  const parts = { perform: toPerform(system), system, changed };
  const players = new Map(Object.entries(tales).map(([name, tale]) => [name, openPlayer(name, tale, parts)] as const));
  return {
    facts: () => [...players.values()].map(player => player.facts()),
    play: ({ name, command, speed, upTo }) => {
      const player = players.get(name);
      if (player === undefined)
        throw new Error(`There is no story “${name}”. There are: ${Object.keys(tales).join(', ')}.`);
      player.command({ command, speed, upTo });
    },
    [Symbol.asyncDispose]: async () => {
      for (const player of players.values()) await player[Symbol.asyncDispose]();
    },
  };
}

/** A running system as a story sees it. */
export function toStorySystem(stage: Stage): StorySystem {
  const { slack, operator, pagesUrl, clock, deadlines, watchdog, pager, wire, journal, facts, bot } = stage;
  let lastLine = 0;
  wire.follow(({ isRoutine }) => {
    if (!isRoutine) lastLine = performance.now();
  });
  const still = bot.hurry ? stillness.hurried : stillness.usual;
  const isStill = () =>
    performance.now() - lastLine > still && wire.lines.every(line => line.isRoutine || line.outcome !== undefined);
  return {
    slack,
    operator,
    pagesUrl,
    publicUrl: pagesUrl,
    ...{ clock, deadlines, watchdog, pager },
    quiet: async () => {
      const longest = facts().faults.length > 0 ? deadlines.playground.brokenStory : deadlines.playground.story;
      const until = performance.now() + longest;
      await Promise.race([slack.settled(), wait(longest, undefined, { ref: false })]);
      await bot.hurry?.();
      while (performance.now() < until && !(isStill() && (await journal.isIdle()))) await wait(50);
    },
    ...(bot.hurry && { hurry: bot.hurry }),
  };
}

function toPerform(system: StorySystem): Perform {
  return async (tale, { beforeDeed, check }) => {
    const cast = openCast({ system, transcript: unread, observe: () => [], beforeDeed });
    const story: Story = { system, declared: [], cast, check, transcript: unread };
    for (const scene of tale.scenes) await scene(story);
  };
}
