import { expect, test } from 'vitest';
import { phrases } from '../../../../support/phrases.ts';
import { openVerbs } from '../../../../support/verbs.ts';

/** An incident in a workspace that anna administers; `names` are the roles as the API has them. */
async function openCatalogue() {
  const opened = await openVerbs();
  const { place, slack, home, api } = opened;
  const anna = slack.addPerson({ name: 'anna', isAdmin: true });
  anna.join(home.id);
  await place.quiet();
  return {
    ...opened,
    anna,
    names: async () =>
      (await api.RolesService.GetRoles({})).roles.map(role => `${role.name}${role.archived ? ' (archived)' : ''}`),
  };
}

test('an administrator creates a role in a form, gives it, and takes that back', async () => {
  const { type, anna, submit, reads, last, press, names, api, publicLines } = await openCatalogue();
  await type('/role create communications lead', anna);
  expect(anna.view?.title).toBe('Create a role');
  await submit({ description: 'Tells customers', weight: ['important'] }, anna);
  expect(reads(anna)).toContain('You created the role communications lead.');
  const { roles } = await api.RolesService.GetRoles({});
  expect(roles.at(-1)).toMatchObject({
    name: 'communications lead',
    description: 'Tells customers',
    important: true,
    mandatory: false,
  });
  await type('/role assign @bob communications lead', anna);
  expect((await publicLines()).at(-1)).toContain('made @bob communications lead');

  await type('/role create scribe', anna);
  await submit({}, anna);
  await press(last(anna), 'Undo', anna);
  expect(await names()).toEqual(['commander', 'investigator', 'observer', 'communications lead']);
});

test('a role is changed in a form, and undone', async () => {
  const { type, anna, submit, reads, last, press, names } = await openCatalogue();
  await type('/role edit Observer', anna);
  await submit({ name: 'watcher', description: 'Reads along' }, anna);
  expect(reads(anna)).toContain('You changed the role watcher. It was called observer.');
  expect(await names()).toContain('watcher');
  await press(last(anna), 'Undo', anna);
  expect(await names()).toEqual(['commander', 'investigator', 'observer']);
});

test('a name that is taken is refused, and the form comes back with what was typed', async () => {
  const { type, anna, submit, reads, last, press } = await openCatalogue();
  await type('/role create Commander', anna);
  await submit({ description: 'Second in command' }, anna);
  expect(reads(anna)).toContain('exists already');
  await press(last(anna), 'Change it', anna);
  expect(JSON.stringify(anna.view)).toContain('Second in command');
});

test('roles are archived, unarchived and deleted', async () => {
  const { type, anna, names, last, press, reads } = await openCatalogue();
  expect(await type('/role archive observer', anna)).toContain('You archived the role observer.');
  expect(await names()).toContain('observer (archived)');
  expect(await type('/role assign @bob observer', anna)).toContain('is archived: roles here are');
  expect(await type('/role archive observer', anna)).toContain(`is archived already. ${phrases.unchanged}`);
  expect(await type('/role unarchive observer', anna)).toContain('can be given again');

  expect(await type('/role delete observer', anna)).toContain('holders keep it.');
  expect(await names()).toContain('observer');
  await press(last(anna), 'Delete it', anna);
  expect(reads(anna)).toContain('You deleted the role observer.');
  expect(await names()).toEqual(['commander', 'investigator']);
});

test('the list shows every role with its buttons, page by page', async () => {
  const { type, anna, press, last, reads, api } = await openCatalogue();
  for (let each = 1; each <= 60; each += 1) {
    const name = `role ${each} ${'x'.repeat(60)}`;
    const role = { roleID: 0, name, description: 'd'.repeat(200), important: false, mandatory: false, archived: false };
    await api.RolesService.CreateRole({ role });
  }
  expect(await type('/role edit', anna)).toContain('The roles of all incidents: 63');
  expect(reads(anna)).toContain('commander (important, mandatory)');
  await press(last(anna), 'Next ›', anna);
  expect(reads(anna)).toContain('Page 2 of ');
  await press(last(anna), '‹ Previous', anna);
  expect(reads(anna)).toContain('Page 1 of ');
});

test('only administrators change the list of roles', async () => {
  const { type, names, press, last, reads, anna, act } = await openCatalogue();
  for (const line of ['create scribe', 'edit observer', 'archive observer', 'unarchive observer', 'delete observer']) {
    expect(await type(`/role ${line}`)).toContain(
      'Only administrators of this workspace can change the list of roles.',
    );
  }
  await type('/role edit');
  await press(last(), { text: 'Archive', near: 'observer' });
  expect(reads()).toContain('Only administrators of this workspace');
  expect(await names()).toEqual(['commander', 'investigator', 'observer']);

  await type('/role create scribe', anna);
  await act(() => anna.change({ isAdmin: false }));
  await act(() => anna.submit({}));
  expect(reads(anna)).toContain('Only administrators of this workspace');
  expect(await names()).toEqual(['commander', 'investigator', 'observer']);
});
