import { findRoom, incidentOf } from '../../../src/playground/stories/incident.ts';
import { openSteps } from '../../../src/playground/stories/steps.ts';
import type { Scene } from '../../../src/playground/story.ts';

/** Notes, typed and from messages, and the timeline that they stand on. */
export const notes: Scene = async story => {
  const { alice, bob, carol } = story.cast;
  story.transcript.scene('The timeline', 'Notes are written, kept from messages, changed, marked and removed.');
  const room = findRoom(story);
  const { types, presses, pressesOnCard, submits, chooses } = openSteps(story, room);
  await types(bob, '/note Rolled back to 1140', 'Added to the timeline.');
  await pressesOnCard(bob, 'Add note', 'What happened?');
  await submits(bob, 'Add', { 'What happened?': 'The cache is cold' }, 'Added to the timeline.');
  const question = await alice.says(room, 'Does paying by card work again?');
  await carol.answers(room, question, 'Yes, since a minute ago.');
  await chooses(bob, question, { id: 'add_timeline', name: 'Add to timeline' }, 'Does paying by card work');
  await presses(bob, 'Add the whole thread', '1');
  await presses(bob, 'Undo', 'off the timeline');
  await chooses(bob, question, { id: 'add_thread', name: 'Add thread to timeline' }, 'already');
  const later = await carol.says(room, 'PayPal never failed.');
  await chooses(bob, later, { id: 'add_worded', name: 'Add with time and text…' }, 'What happened');
  await submits(bob, 'Add', { 'What happened': 'Carol says that paying works.' }, 'Carol says');
  const elsewhere = await alice.says('#checkout', 'The bank confirms it.');
  await chooses(bob, elsewhere, { id: 'add_timeline', name: 'Add to timeline' }, 'Which incident?');
  const number = incidentOf(story);
  await submits(bob, 'Add', { 'Which incident?': number }, `incident ${number}`);
  await types(bob, '/note list', 'Rolled back to 1140');
  await presses(bob, 'Edit', 'Change a note', { near: 'Rolled back to 1140' });
  await submits(bob, 'Save', { 'What happened': 'Rolled back to 1139' }, 'Rolled back to 1139');
  await types(bob, '/note list', 'Rolled back to 1139');
  await presses(bob, 'Important', 'Rolled back', { near: 'Rolled back to 1139' });
  await types(bob, '/incident timeline', 'Timeline of');
  await presses(bob, 'Older ›', 'Timeline of');
  await presses(bob, '‹ Newest', 'Timeline of');
  await types(bob, '/note a note that goes', 'Added to the timeline.');
  await types(bob, '/note list', 'a note that goes');
  await presses(bob, 'Remove', 'a note that goes', { near: 'a note that goes' });
};

/** Dashboards: saved, linked, shown, deleted and brought back. */
export const dashboards: Scene = async story => {
  const { bob } = story.cast;
  story.transcript.scene('Dashboards', 'One is saved, linked to the incident, shown, deleted and brought back.');
  const room = findRoom(story);
  const { types, presses, submits, chooses } = openSteps(story, room);
  const json = (title: string, more: object = {}) => JSON.stringify({ title, uid: 'shop', tags: ['shop'], ...more });
  await types(bob, '/dash save', 'JSON of the dashboard');
  await submits(bob, 'Save', { 'JSON of the dashboard': json('The shop') }, 'The shop');
  const posted = await bob.says(room, `\`\`\`${json('The whole shop')}\`\`\``);
  await chooses(bob, posted, { id: 'save_dashboard', name: 'Save as dashboard' }, 'Save a dashboard');
  await submits(bob, 'Save', {}, 'Nothing was saved');
  await presses(bob, 'Overwrite it', 'The whole shop');
  await types(bob, '/dash save', 'JSON of the dashboard');
  await submits(bob, 'Save', { 'JSON of the dashboard': json('Another shop') }, 'Nothing was saved');
  await presses(bob, 'Save under another name', 'Save as a new one');
  await submits(bob, 'Save', { Title: 'The shop of others' }, 'The shop of others');
  await types(bob, '/dash link shop --window hour', 'The whole shop');
  await types(bob, '/dash link', 'Link a dashboard');
  await submits(bob, 'Link', { 'Or a link, or another title': 'https://wiki.acme.com/shop' }, 'wiki.acme.com');
  await types(bob, '/dash recent', 'The whole shop');
  await presses(bob, 'Show', 'The whole shop');
  const pasted = await bob.says(room, `see ${story.system.publicUrl}/d/shop?from=1773442800000&to=1773446400000`);
  await chooses(bob, pasted, { id: 'link_dashboards', name: 'Link dashboards' }, 'The whole shop');
  await types(bob, '/dash show shop', 'The whole shop');
  await types(bob, '/dash home', 'home');
  for (let each = 1; each <= 61; each += 1) {
    const dashboard = { title: `Board ${each}`, uid: `board-${each}`, tags: [`team-${each}`] };
    await story.system.operator.Dashboards.save({ dashboard, folderUid: '', overwrite: false, message: '' });
  }
  await types(bob, '/dash tags', 'Page 1 of 2');
  await presses(bob, 'Next ›', 'Page 2 of 2');
  await presses(bob, '‹ Previous', 'Page 1 of 2');
  await types(bob, '/dash delete shop', 'Delete');
  await presses(bob, 'Delete it', 'trash');
  await types(bob, '/dash restore shop --folder nosuch', 'Nothing was changed');
  await presses(bob, 'Choose a folder', 'Choose a folder');
  await submits(bob, 'Restore', { 'Folder (its uid)': 'nowhere' }, 'Nothing was changed');
  await presses(bob, 'Restore into General', 'is back in General');
  await types(bob, '/dash delete board-61', 'Delete');
  await presses(bob, 'Delete it', 'trash');
  await types(bob, '/dash purge board-61', 'for good');
  await presses(bob, 'Delete for good', 'deleted for good');
  await types(bob, '/dash delete board-60', 'Delete');
  await presses(bob, 'Delete it', 'trash');
  await types(bob, '/dash save', 'JSON of the dashboard');
  const again = { title: 'Board 60', uid: 'board-60' };
  await submits(bob, 'Save', { 'JSON of the dashboard': JSON.stringify(again) }, 'as version 2');
};
