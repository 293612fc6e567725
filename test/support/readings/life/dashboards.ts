import { type Chapter, declare } from './chapter.ts';

/** Dashboards: saved, linked, shown, deleted and brought back. */
export const dashboards: Chapter = async stage => {
  const { alice, bob } = stage.people;
  const { words, api } = stage;
  stage.begin('Dashboards');
  await api.Dashboards.save({ dashboard: { title: 'A wide one', uid: 'wide', tags: [] } });
  const room = await declare(stage, 'Dashboards are shown');
  stage.go(room);
  const json = (title: string, uid: string) =>
    JSON.stringify({ title, uid, tags: [words.tag], description: words.roleText });
  await stage.type(alice, '/dash recent', '/dash home', '/dash show nothing', '/dash tags', '/dash save');
  await stage.submit(alice, { json: 'no json' });
  await stage.type(alice, '/dash save');
  await stage.submit(alice, { json: json(words.dashboard, 'shop') });
  await stage.type(alice, '/dash save');
  await stage.submit(alice, { json: json('Another shop', 'shop') });
  await stage.press(alice, 'dash.another');
  await stage.submit(alice, { title: words.caption });
  await stage.press(alice, 'dash.overwrite');
  const posted = bob.say(room, `\`\`\`${json('The whole shop', 'whole')}\`\`\``);
  await stage.menu(bob, 'save_dashboard', posted);
  await stage.submit(bob, {});
  await stage.menu(bob, 'save_dashboard', bob.say(room, '{ no json'));
  await stage.menu(bob, 'save_dashboard', bob.say(room, 'no dashboard at all'));
  await stage.type(
    alice,
    `/dash link shop ${words.caption} --window hour`,
    '/dash link shop',
    '/dash link',
    '/dash link nothing',
    '/dash link https://example.com/x',
    `/dash link ${words.dashboard}`,
    '/dash link /d/shop?from=now-1h&to=now',
  );
  await stage.menu(
    bob,
    'link_dashboards',
    bob.say(room, 'see https://muster.example.com/d/shop?from=1773442800000&to=1773446400000'),
  );
  await stage.menu(bob, 'link_dashboards', bob.say(room, 'see nothing'));
  await stage.menu(
    bob,
    'add_timeline',
    bob.say(room, 'also https://muster.example.com/d/shop?from=1773442800000&to=1773450000000'),
  );
  await stage.press(bob, 'dash.link.noted');
  await stage.type(alice, '/dash recent', '/dash show shop');
  await stage.press(alice, 'dash.show');
  for (let each = 1; each <= 61; each += 1)
    await api.Dashboards.save({
      dashboard: { title: words.many('Board', each, 200), uid: `board-${each}`, tags: [words.many('team', each, 50)] },
    });
  await stage.type(alice, '/dash tags');
  await stage.press(alice, 'Next ›');
  await stage.type(
    alice,
    '/dash show bord-1',
    '/dash show shp',
    `/dash link wide --window hour ${'what it shows '.repeat(120)}`,
    '/dash show another',
    '/dash delete',
    '/dash delete board-61',
    '/dash delete nothing',
  );
  await stage.press(alice, 'dash.delete');
  await stage.type(alice, '/dash restore board-61', '/dash restore board-61', '/dash delete board-61');
  await stage.press(alice, 'dash.delete');
  await stage.type(alice, '/dash save');
  await stage.submit(alice, { json: json('Board 61', 'board-61') });
  await stage.type(alice, '/dash delete board-60');
  await stage.press(alice, 'dash.delete');
  await stage.type(alice, '/dash purge board-60', '/dash purge nothing');
  await stage.press(alice, 'dash.purge', { near: 'board-60' });
  const twin = words.many('Board', 62, 200);
  await api.Dashboards.save({ dashboard: { title: twin, uid: 'board-62' } });
  await stage.type(alice, '/dash delete board-62');
  await stage.press(alice, 'dash.delete', { near: 'board-62' });
  await api.Dashboards.save({ dashboard: { title: twin, uid: 'board-63' } });
  await stage.type(alice, '/dash restore board-62');
  await stage.press(alice, 'dash.restore-folder', { near: 'board-62' });
  await stage.submit(alice, { folder: 'nowhere' });
  await stage.type(alice, '/dash save');
  await stage.submit(alice, { json: json('A third shop', 'shop') });
};
