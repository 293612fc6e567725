import { expect, test } from 'vitest';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openIncident } from '../support/incident-room.ts';

/** An incident in a Grafana that keeps to its document: it has no fields of notes, nor of the links in them. */
async function openBare() {
  const grafana = await openFakeGrafana({ keepsFields: false });
  const opened = await openIncident({ settings: grafana.settings });
  return { ...opened, grafana, cardWords: () => opened.place.reads(opened.alice, opened.home.id)[0] ?? '' };
}

test('notes keep the names of those whose they are', async () => {
  const { type, alice, bob, home, act } = await openBare();
  await type('/note It is their network', bob);
  const message = bob.say(home, 'The vendor confirms');
  await act(() => alice.shortcut('add_timeline', message));
  const notes = await type('/note list');
  expect(notes).toMatch(/It is their network · bob/);
  expect(notes).toMatch(/The vendor confirms · bob/);
  expect(notes).not.toContain('Service Account');
});

test('the words of a resolution stand first, before a later look and after it', async () => {
  const { type, cardWords, place } = await openBare();
  await type('/incident update We fail over');
  await type('/incident resolve The cache was full --now');
  await place.quiet();
  expect(cardWords()).toContain('The cache was full');
  expect(cardWords()).not.toContain('We fail over');
  await type('/incident status');
  expect(await type('/incident status')).toContain('The cache was full');
});

test('a link that Grafana attached from a note is not listed beside it', async () => {
  const { type, bob } = await openBare();
  await type('/note See https://status.example.com/incident/7 for theirs');
  for (const line of ['/incident catchup since 5m ago', '/incident timeline', '/incident status'])
    expect((await type(line, bob)).match(/status\.example\.com/g) ?? [], line).toHaveLength(1);
});

test('words that Grafana refused for the timeline are not in the line about the end', async () => {
  const { type, grafana, publicLines, incident } = await openBare();
  grafana.fail({ when: /AddActivity/, answer: { status: 403, body: '{"message":"no"}' } });
  const answer = await type('/incident resolve The cache was full --now');
  expect((await incident()).status).toBe('resolved');
  expect(answer).toContain('does not let Muster do this');
  expect(publicLines().join('\n')).toContain('Resolved');
  expect(publicLines().join('\n')).not.toContain('The cache was full');
});
