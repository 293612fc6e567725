import fc from 'fast-check';
import { expect } from 'vitest';
import { allVerbs } from '../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../src/bot/features.ts';
import { parseCommand } from '../../src/bot/grammar/grammar.ts';
import { escapeMrkdwn } from '../../src/bot/text/words.ts';
import { splitNoteBody } from '../../src/contract/note-forms.ts';
import { declareNow, notesOf, openIncident } from './incident-room.ts';
import { nearMissLines, sentences } from './sentences.ts';

const verbs = allVerbs(features);

/** Incidents among which the lines are spread, so that few wait for one another. */
const rooms = 8;
/** The button that stores what begins as a time does, as a note of now. */
const noTime = 'Not a time';
/** Lines of each room that are under way at once. */
const together = 6;

/** A workplace in which many lines are typed. */
async function openRooms() {
  const room = await openIncident();
  const { place, alice, bob, general, incident } = room;
  const homes = [room.home];
  while (homes.length < rooms) {
    const home = await declareNow(place, alice, general, `Incident ${homes.length + 1}`);
    bob.join(home.id);
    homes.push(home);
  }
  const ids = homes.map((_home, at) => String(at + 1));
  /** Words that begin as a time does are asked about: they are none. */
  const sayNoTime = async () => {
    const asking = homes.flatMap(home =>
      place.messages(alice, home.id).filter(each => JSON.stringify(each.blocks).includes(noTime)),
    );
    for (const message of asking) await alice.press(message, noTime);
    if (asking.length > 0) await place.quiet();
  };
  /** Types each line in the room of its turn, as a command or, without a slash, as a mention. */
  const typeAll = async (lines: readonly string[]) => {
    const size = rooms * together;
    for (let from = 0; from < lines.length; from += size) {
      await Promise.all(
        lines.slice(from, from + size).map(async (line, offset) => {
          const home = homes[(from + offset) % rooms] ?? room.home;
          if (line.startsWith('/')) await alice.command(home, line);
          else alice.mention(home, line);
          if (alice.view) await alice.close();
        }),
      );
      await place.quiet();
      await sayNoTime();
    }
  };
  const notes = () => Promise.all(ids.map(id => notesOf(place, id)));
  const everything = async () => {
    const { incidentPreviews } = await place.api.IncidentsService.QueryIncidentPreviews({ query: { limit: 50 } });
    return { incidents: await Promise.all(ids.map(incident)), count: incidentPreviews.length, notes: await notes() };
  };
  return { place, typeAll, notes, everything };
}

/** Whether a line may mean something else than a note, so that it is asked: `/note list of hosts`. */
function isAsked(way: string, text: string): boolean {
  const [root = '', before = ''] = way.startsWith('/') ? way.slice(1).split(/ (.*)/s) : ['mention', way];
  return parseCommand(verbs, { root, commandRoot: 'muster', text: escapeMrkdwn(before + text) }).kind === 'unknown';
}

/** Types generated sentences after `/note` and in mentions, and expects each on the timeline word for word, once. */
export async function expectSentencesKept(count: number, seed: number): Promise<void> {
  const { place, typeAll, notes } = await openRooms();
  const said = fc.sample(sentences, { numRuns: count, seed });
  const ways = ['/note ', '/note add ', '/muster note ', '/muster note add ', 'note '];
  await typeAll(
    said.map((text, at) => {
      const way = ways[Math.floor(at / rooms) % ways.length] ?? '';
      return isAsked(way, text) ? `/note add ${text}` : `${way}${text}`;
    }),
  );
  for (const [at, stored] of (await notes()).entries()) {
    const texts = stored.map(each => splitNoteBody(each.body).text);
    expect(texts.sort()).toEqual(said.filter((_text, turn) => turn % rooms === at).sort());
  }
  expect(place.troubles).toEqual([]);
}

/** Types lines that are nearly commands, and expects that nothing is changed by any. */
export async function expectNearMissesHarmless(count: number, seed: number): Promise<void> {
  const { place, typeAll, everything } = await openRooms();
  const before = await everything();
  const lines = fc.sample(nearMissLines(verbs), { numRuns: count, seed });
  const roots = [(noun: string) => `/${noun} `, () => '/muster ', () => ''];
  await typeAll(lines.map(({ noun, text }, at) => `${roots[Math.floor(at / rooms) % roots.length]?.(noun)}${text}`));
  expect(await everything()).toEqual(before);
  expect(place.troubles).toEqual([]);
}
