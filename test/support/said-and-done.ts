import { splitNoteBody } from '../../src/contract/note-forms.ts';
import type { openVerbs } from './verbs.ts';

type Verbs = Awaited<ReturnType<typeof openVerbs>>;

/** Two open tasks, which lines may mean. */
export async function addTasks({ api }: Verbs): Promise<void> {
  for (const text of ['call the bank', 'restart db-3']) await api.TasksService.AddTask({ incidentID: '1', text });
}

/** Types lines in the room of an incident: yields a function that types one, and says in a few words what it did. */
export function typing({ place, api, alice, home }: Verbs): (line: string) => Promise<string> {
  /** All that lines can change, each fact as a few words. */
  const facts = async (): Promise<readonly string[]> => {
    const { incidentPreviews } = await api.IncidentsService.QueryIncidentPreviews({ query: { limit: 50 } });
    const of = async (incidentID: string) => {
      const { incident } = await api.IncidentsService.GetIncident({ incidentID });
      const query = { incidentID, activityKind: ['userNote' as const], orderDirection: 'ASC' as const, limit: 50 };
      const { activityItems } = await api.ActivityService.QueryActivity({ query });
      const where = incidentID === '1' ? '' : `${incidentID}: `;
      return [
        `title ${incident.title}`,
        `severity ${incident.severity}`,
        `status ${incident.status}`,
        ...incident.labels.map(
          each => `label ${each.key === '' || each.key === 'tags' ? '' : `${each.key}:`}${each.label}`,
        ),
        ...incident.incidentMembership.assignments.map(each => `${each.role.name} ${each.user.name}`),
        ...incident.taskList.tasks.map(
          each =>
            `task ${each.text}${each.assignedUser ? ` (${each.assignedUser.name})` : ''}${each.status === 'todo' ? '' : ` ${each.status}`}`,
        ),
        ...activityItems.map(each => `note ${each.eventTime.slice(5, 16)} ${splitNoteBody(each.body).text}`),
      ].map(each => where + each);
    };
    return (await Promise.all(incidentPreviews.map(each => of(each.incidentID)))).flat();
  };
  return async line => {
    const before = await facts();
    const read = place.reads(alice, home.id).length;
    if (alice.view) await alice.close();
    if (line.startsWith('/')) await alice.command(home, line);
    else alice.mention(home, line);
    await place.quiet();
    const form = alice.view;
    if (form) return `form ${form.title}`;
    const after = await facts();
    const changes = after.filter(each => !before.includes(each));
    const gone = before.filter(each => !after.includes(each) && /^(label|task|note|\w+ (alice|bob|carol))/.test(each));
    if (changes.length + gone.length > 0) return [...changes, ...gone.map(each => `no ${each}`)].join('; ');
    const said = place.reads(alice, home.id).slice(read).join('\n') || place.lastRead(alice, home.id);
    const [first = ''] = said.split('\n').filter(each => !each.startsWith('@muster'));
    const isKept = said.includes('What you typed is kept');
    if (!said.includes('You typed:') && !isKept) return `shows ${first.slice(0, 60)}`;
    const buttons = isKept ? ['[Open the form]'] : (said.match(/^\[.*\]$/gm) ?? []);
    return buttons.length === 0 ? `refuses: ${first}` : `asks ${buttons.join(' ')}`;
  };
}
