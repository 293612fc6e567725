import { splitNoteBody } from '../../src/contract/note-forms.ts';
import type { openVerbs } from './verbs.ts';

type Verbs = Awaited<ReturnType<typeof openVerbs>>;

/** Two open tasks, which lines may mean. */
export async function addTasks({ api }: Verbs): Promise<void> {
  for (const text of ['call the bank', 'restart db-3']) await api.TasksService.AddTask({ incidentID: '1', text });
}

/** Where a person types: in the room, in a thread there, in #general, or to Muster alone. */
type Where = 'room' | 'thread' | 'channel' | 'direct';

/** Types lines in the room of an incident: yields a function that types one, and says in a few words what it did. */
export function typing(verbs: Verbs): (line: string) => Promise<string> {
  const type = typingAt(verbs);
  return async line => (await type('room', line)).done;
}

/**
 * Types lines in any place: yields a function that types one, which tells what it did in a few words, and all that the person read of it. A line
 * without a slash is a mention.
 */
export function typingAt({ place, slack, api, alice, bob, home, general }: Verbs) {
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
  const type = async (where: Where, line: string) => {
    const channel = { room: home, thread: home, channel: general, direct: slack.openDm(alice) }[where];
    const threadTs = where === 'thread' ? bob.say(home, 'the pool is full').ts : undefined;
    const read = place.reads(alice, channel.id).length;
    if (alice.view) await alice.close();
    if (line.startsWith('/')) await alice.command(channel, line);
    else if (where === 'direct') alice.say(channel, line);
    else alice.mention(channel, line, threadTs === undefined ? {} : { threadTs });
    await place.quiet();
    const said = place.reads(alice, channel.id).slice(read).join('\n') || place.lastRead(alice, channel.id);
    return said
      .split('\n')
      .filter(each => !each.startsWith('@muster') && each !== line)
      .join('\n');
  };
  return async (where: Where, line: string): Promise<{ readonly done: string; readonly said: string }> => {
    const before = await facts();
    const said = await type(where, line);
    const form = alice.view;
    if (form) return { done: `form ${form.title}`, said };
    const after = await facts();
    const changes = after.filter(each => !before.includes(each));
    const gone = before.filter(each => !after.includes(each) && /^(label|task|note|\w+ (alice|bob|carol))/.test(each));
    const done = [...changes, ...gone.map(each => `no ${each}`)].join('; ');
    if (done !== '') return { done, said };
    const [first = ''] = said.split('\n');
    const isKept = said.includes('What you typed is kept');
    if (!said.includes('You typed:') && !isKept) return { done: `shows ${first.slice(0, 60)}`, said };
    const buttons = isKept ? ['[Open the form]'] : (said.match(/^\[.*\]$/gm) ?? []);
    return { done: buttons.length === 0 ? `refuses: ${first}` : `asks ${buttons.join(' ')}`, said };
  };
}
