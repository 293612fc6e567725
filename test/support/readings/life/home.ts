import { type Chapter, declare } from './chapter.ts';

/** The home tab, of somebody with more tasks and roles than it shows. */
export const home: Chapter = async stage => {
  const { alice, dora, gus } = stage.people;
  const { words } = stage;
  stage.begin('The home tab');
  const room = await declare(stage, words.title, '--drill');
  stage.go(room);
  await stage.type(alice, `/task add ${words.task} @dora`, '/role assign @dora commander');
  await stage.home(dora, 'task.start', 'task.done', 'Undo', 'All incidents', 'muster.help.all');
  await stage.home(dora, 'role.handover.form');
  await stage.submit(dora, { person: alice });
  await stage.home(dora, 'incident.declare');
  await stage.submit(dora, { title: words.otherTitle });
  for (let each = 1; each <= 11; each += 1) {
    await stage.act(`/task add, ${each}`, () => alice.command(room, `/task add ${each} ${words.task} @dora`));
  }
  await stage.home(gus);
  await stage.home(dora);
};
