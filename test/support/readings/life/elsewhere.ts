import { type Chapter, numberOf, privateRoom } from './chapter.ts';

/** Incidents and changes that began elsewhere. */
export const elsewhere: Chapter = async stage => {
  const { alice, bob, root } = stage.people;
  const { words, api } = stage;
  stage.begin('From elsewhere');
  const create = async (title: string) => {
    await api.IncidentsService.CreateIncident({
      title,
      severity: 'major',
      status: 'active',
      labels: [],
      roomPrefix: '',
      isDrill: false,
      attachCaption: '',
      attachURL: '',
    });
    await stage.look();
    return numberOf(stage, title);
  };
  await stage.act('an incident that an alert declares', () => create(words.title));
  await stage.press(alice, 'incident.open', { channel: stage.incidents });
  const lag = await create('Replica lags');
  stage.go(stage.slack.addChannel({ name: 'database', members: [alice, bob], botIsMember: true }));
  await stage.type(
    bob,
    '/incident link',
    '/incident link 999',
    `/incident link ${lag.incidentID}`,
    `/incident link ${lag.incidentID}`,
    '/incident unlink',
  );
  await stage.press(bob, 'incident.unlink');
  await stage.type(bob, '/incident unlink');
  const leak = await create('A key leaked');
  stage.go(await privateRoom(stage, alice, bob));
  await stage.type(bob, `/incident link ${leak.incidentID}`);
  await stage.press(bob, 'incident.link');
  const incidentID = leak.incidentID;
  await stage.act('changes elsewhere', async () => {
    await api.IncidentsService.UpdateTitle({ incidentID, title: words.otherTitle });
    await api.IncidentsService.UpdateSeverity({ incidentID, severity: 'critical' });
    await api.TasksService.AddTask({ incidentID, text: words.task, assignToUserID: '' });
    await api.IncidentsService.AddLabel({
      incidentID,
      label: { label: words.label, description: '', colorHex: '', key: '' },
    });
    await api.IncidentsService.UpdateStatus({ incidentID, status: 'resolved' });
    await stage.look();
  });
  stage.begin('Two incidents in one channel');
  const both = stage.slack.addChannel({ name: 'both', members: [alice, bob, root], botIsMember: true });
  stage.go(both);
  const [one, other] = [await create('One of two'), await create(words.otherTitle)];
  await stage.type(
    bob,
    `/incident link ${one.incidentID}`,
    `/incident link ${other.incidentID}`,
    '/incident status',
    '/task add which one',
    '/incident resolve',
  );
  await stage.type(
    bob,
    `/note ${other.incidentID} pods restarted`,
    `/incident close #${other.incidentID} it was the deploy --now`,
  );
};

/** Incidents that come together. */
export const burst: Chapter = async stage => {
  const { CreateIncident } = stage.api.IncidentsService;
  stage.begin('Many at once from elsewhere');
  await stage.act('seven incidents at once', async () => {
    for (let each = 1; each <= 7; each += 1) {
      const title = stage.words.many('Node', each, 300);
      const wish = { title, severity: 'major', status: 'active', roomPrefix: '', isDrill: false } as const;
      await CreateIncident({ ...wish, labels: [], attachCaption: '', attachURL: '' });
    }
    await stage.look();
  });
};

/** Commands where no incident is at hand. */
export const asking: Chapter = async stage => {
  const { alice, dora } = stage.people;
  for (let each = 1; each <= 12; each += 1) {
    const title = stage.words.many('Region', each, 300);
    const over = { title, severity: 'minor', status: 'resolved', roomPrefix: '', isDrill: false } as const;
    await stage.api.IncidentsService.CreateIncident({ ...over, labels: [], attachCaption: '', attachURL: '' });
  }
  stage.begin('Asking which incident');
  await stage.type(alice, '/incident list');
  await stage.press(alice, 'incident.list.post');
  await stage.press(alice, 'incident.list.more');
  await stage.type(
    alice,
    '/incident severity major',
    '/incident reopen',
    '/task list',
    '/incident status',
    '/incident list',
    '/incident resolve done --now',
  );
  await stage.pressAll(alice, stage.general);
  await stage.menu(alice, 'add_timeline', dora.say(stage.general, stage.words.said));
  await stage.submit(alice, {});
};
