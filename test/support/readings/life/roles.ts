import { type Chapter, declare } from './chapter.ts';

/** Roles of an incident, and the list of roles of all. */
export const roles: Chapter = async stage => {
  const { alice, bob, dora, root } = stage.people;
  const { words } = stage;
  stage.begin('Roles');
  const room = await declare(stage, 'Roles are given');
  stage.go(room);
  root.join(room);
  await stage.type(alice, '/role list', '/role list me', '/role assign me commander', '/role assign @bob commander');
  await stage.press(alice, 'Keep both');
  await stage.type(alice, '/role assign @bob commander', '/role assign @dora commander');
  await stage.press(alice, 'role.handover');
  await stage.press(alice, 'Undo');
  await stage.type(
    alice,
    '/role handover @dora',
    '/role handover @dora',
    '/role handover @gus',
    '/role handover @bob @dora',
    `/role handover @bob ${words.nonsense}`,
    '/incident lead me',
    '/role handover',
  );
  await stage.submit(alice, { person: bob });
  await stage.type(
    alice,
    '/role assign @dora investigator',
    '/role assign @dora',
    `/role assign me ${words.nonsense}`,
    '/role assign me investgator',
    '/role assign @gus observer',
    '/role assign',
  );
  await stage.submit(alice, { person: bob });
  await stage.type(alice, '/role assign @bob @dora observer', '/role list');
  await stage.press(alice, 'role.list.post');
  await stage.press(alice, 'role.remove', { near: 'Owns the incident' });
  await stage.press(alice, 'role.remove', { near: 'Watching' });
  await stage.submit(alice, { holder: 'bob' });
  await stage.type(
    alice,
    '/role list me',
    '/role assign @bob observer',
    '/role unassign me observer',
    '/role unassign @dora investigator',
    '/role unassign observer',
    '/role unassign',
  );
  await stage.press(alice, 'Undo');
  await stage.type(bob, '/role list me', '/role create');
  await stage.type(root, `/role create ${words.role}`);
  await stage.submit(root, { description: words.roleText });
  await stage.type(root, `/role create ${words.role}`);
  await stage.submit(root, {});
  await stage.type(alice, `/role assign @bob ${words.role}`, `/role assign @dora ${words.role}`);
  await stage.type(alice, `/role unassign ${words.role}`, '/role unassign @bob');
  await stage.type(
    root,
    '/role edit',
    `/role edit ${words.role}`,
    `/role archive ${words.role}`,
    `/role archive ${words.role}`,
    `/role unarchive ${words.role}`,
    `/role edit ${words.nonsense}`,
    `/role delete ${words.role}`,
  );
  await stage.close(root);
  await stage.press(root, 'role.delete');
  await stage.type(alice, '/role assign @dora investigator', '/role list', '/role unassign @dora investigator');
  await stage.press(alice, 'role.remove', { near: 'Finds the cause' });
  await stage.type(dora, '/role assign me observer');
  await stage.pressAll(root, room);
};
