import { pino } from 'pino';
import { type ApiClient, createClient } from '../src/client/client.ts';
import { openDatabase } from '../src/db/database.ts';
import { deadlines } from '../src/deadlines.ts';
import { createService } from '../src/service/service.ts';

const items = 200;

/**
 * Declares, in the database of that address, an incident that is over, so that every reading of it is the same: two people, two
 * tasks, a label and a timeline. Gives its id.
 */
export async function fill(url: string): Promise<string> {
  await using database = await openDatabase(url);
  const log = pino({ level: 'silent' });
  await using service = await createService({ database, log, clock: () => new Date() });
  const api = createClient({ ...deadlines.api, transport: service.handle });
  const people = {
    actor: { userID: 'slack:T1/U1', name: 'Grace Hopper', photoURL: 'https://www.gravatar.com/avatar/0bc83cb5' },
    others: [{ userID: 'slack:T1/U2', name: 'Ada Lovelace', photoURL: 'https://www.gravatar.com/avatar/71cd1c50' }],
  };
  const { incident } = await api.IncidentsService.CreateIncident(
    {
      title: 'Checkout answers with errors for one request in ten',
      severity: 'major',
      labels: [{ label: 'checkout', description: 'The shop', colorHex: '#ff7f50' }],
      roomPrefix: 'inc',
      status: 'active',
    },
    { people },
  );
  const { incidentID } = incident;
  await assign(api, incidentID);
  for (const text of ['Roll back the release', 'Tell support']) {
    await api.TasksService.AddTask({ incidentID, text, assignToUserID: 'slack:T1/U2' }, { people });
  }
  for (let index = 0; index < items; index += 1) {
    const body = `Errors are at ${index} per minute; the release before does not have them`;
    await api.ActivityService.AddActivity({ incidentID, activityKind: 'userNote', body, eventTime: '' }, { people });
  }
  await api.IncidentsService.UpdateStatus({ incidentID, status: 'resolved' }, { people });
  return incidentID;
}

async function assign(api: ApiClient, incidentID: string): Promise<void> {
  await api.IncidentsService.AssignRole({ incidentID, userID: 'slack:T1/U1', role: 'commander' });
  await api.IncidentsService.AssignRole({ incidentID, userID: 'slack:T1/U2', role: 'investigator' });
}
