import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { addPeopleAndChannels, announceChannel } from '../../../playground/cast.ts';
import type { StoryClock } from '../../../playground/story-system.ts';
import type { prepareBotProcess } from '../../../playground/system/bot-process.ts';
import { pastIncidents } from '../../../playground/system/past-incidents.ts';
import { startSystem } from '../../../playground/system/system.ts';
import type { JournalView } from '../../../playground/workspace/journal-view.ts';
import type { StoryView, SystemView, WireLine } from '../../../playground/workspace/protocol.ts';
import { patientSystem } from '../../support/deadlines.ts';

/** A folder for the data of a system; it is removed when the test ends. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-playground-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A system with its bot, and what it told. Its bot is a process of its own, unless `prepareBot` makes another one, on the same clock. */
export async function openWorld(folder?: string, prepareBot?: typeof prepareBotProcess, clock?: StoryClock) {
  const errors: string[] = [];
  const system = await startSystem({
    folder: folder ?? (await makeFolder()),
    ...patientSystem,
    populate: addPeopleAndChannels,
    announceChannel,
    ...(prepareBot ? { prepareBot } : {}),
    ...(clock ? { clock } : {}),
    onError: sentence => errors.push(sentence),
  });
  onTestFinished(() => system[Symbol.asyncDispose]());
  const { slack, operator } = system;
  const told: {
    system?: SystemView;
    journal?: JournalView;
    stories?: readonly StoryView[];
    lines: Map<number, WireLine>;
  } = { lines: new Map() };
  system.follow(each => {
    if (each.kind === 'wire') told.lines.set(each.line.id, each.line);
    else Object.assign(told, each);
  });
  const bob = slack.person('bob');
  return {
    system,
    slack,
    told,
    errors,
    bob,
    types: (line: string, where = '#checkout') => bob.command(where, line),
    room: (end: string) => slack.channels.find(channel => channel.name.endsWith(end)),
    /** Titles of the incidents that are no history, newest first. */
    declared: async () => {
      const { incidentPreviews } = await operator.IncidentsService.QueryIncidentPreviews({ query: { limit: 100 } });
      return incidentPreviews.slice(0, -pastIncidents.length).map(each => each.title);
    },
  };
}
