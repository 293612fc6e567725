import {
  type Channel,
  type FakeSlackBase,
  type Message,
  type Person,
  renderView,
} from '../../playground/fake-slack/fake-slack.ts';
import type { ApiClient } from '../../src/client/client.ts';
import { splitNoteBody } from '../../src/contract/note-forms.ts';
import type { Workplace } from './workplace.ts';

/** The parts of an incident's room that these acts need. */
interface Room {
  readonly place: Pick<Workplace, 'quiet' | 'reads' | 'messages' | 'lastRead'>;
  readonly slack: FakeSlackBase;
  readonly api: ApiClient;
  readonly alice: Person;
  readonly home: Channel;
}

/** The acts of people around an incident's room, and the facts that follow from them: `openIncident` and `openVerbs` have them. */
export function roomActs({ place, slack, api, alice, home }: Room) {
  const incident = async (incidentID = '1') => (await api.IncidentsService.GetIncident({ incidentID })).incident;
  const act = async (what: () => unknown) => {
    await what();
    await place.quiet();
  };
  const lastDirect = (person: Person): Message => {
    const message = place.messages(person, slack.openDm(person).id).at(-1);
    if (!message) throw new Error(`${person.name} has no direct message`);
    return message;
  };
  const shows = (person: Person) => (person.home ? renderView(slack, person.home) : '');
  return {
    /** A person does something, and all of its effects happen. */
    act,
    /** The texts of an incident's notes, oldest first, without their authors. */
    notes: async (incidentID = '1') => {
      const query = { incidentID, activityKind: ['userNote' as const], orderDirection: 'ASC' as const, limit: 1000 };
      const { activityItems } = await api.ActivityService.QueryActivity({ query });
      return activityItems.map(each => splitNoteBody(each.body).text);
    },
    /** The titles of all incidents. */
    titles: async () => {
      const { incidentPreviews } = await api.IncidentsService.QueryIncidentPreviews({ query: {} });
      return incidentPreviews.map(each => each.title).toSorted();
    },
    status: async (incidentID: string) => (await incident(incidentID)).status,
    /** Each task as its text, its state and the name of its assignee. */
    tasks: async () =>
      (await incident()).taskList.tasks.map(task => [task.text, task.status, task.assignedUser?.name ?? '']),
    /** Each role that somebody has, as `alice: commander`. */
    held: async () =>
      (await incident()).incidentMembership.assignments.map(each => `${each.user.name}: ${each.role.name}`),
    /** The texts that a person reads in their direct message with Muster, oldest first. */
    readsDirect: (person: Person) => place.reads(person, slack.openDm(person).id),
    lastDirect,
    /** Presses in the last message of a person's direct message with Muster, and yields the last text there. */
    pressDirect: async (person: Person, label: string) => {
      await act(() => person.press(lastDirect(person), label));
      return place.lastRead(person, slack.openDm(person).id);
    },
    /** Writes to Muster alone, and yields the message and the answer. */
    write: async (words: string, person = alice) => {
      const channel = slack.openDm(person);
      const known = place.reads(person, channel.id).length;
      const message = person.say(channel, words);
      await place.quiet();
      return { message, answer: place.reads(person, channel.id).slice(known + 1) };
    },
    /** Mentions Muster with a line, and yields everything new that the person reads there. */
    ask: async (line: string, person = alice, channel = home) => {
      const known = place.reads(person, channel.id).length;
      await act(() => person.mention(channel, line));
      return place.reads(person, channel.id).slice(known).join('\n');
    },
    /** Changes the words after a mention, and yields the last text that alice reads. */
    edit: async (message: Message, words: string) => {
      await act(() => alice.editMention(message, words));
      return place.lastRead(alice, home.id);
    },
    react: (person: Person, message: Message, name = 'memo') => act(() => person.react(message, name)),
    unreact: (person: Person, message: Message, name = 'memo') => act(() => person.unreact(message, name)),
    /** The names of Muster's own reactions to a message. */
    marks: (message: Message) =>
      message.reactions.flatMap(each => (each.users.includes(slack.botUserId) ? [each.name] : [])),
    /** A person says a text in the room, and alice adds it to the timeline. */
    note: async (text: string, person = alice, threadTs?: string) => {
      const message = person.say(home, text, threadTs === undefined ? {} : { threadTs });
      await act(() => alice.shortcut('add_timeline', message));
      return message;
    },
    /** The home tab of a person as it shows; `""` when there is none. */
    shows,
    /** Opens the home tab of a person, and yields it as it shows. */
    opens: async (person: Person) => {
      await act(() => person.openHome());
      return shows(person);
    },
    pressHome: async (person: Person, what: Parameters<Person['press']>[1]) => {
      await act(() => person.press('home', what));
      return shows(person);
    },
    /** How often a home tab was published. */
    published: () => slack.callsOf('views.publish').length,
  };
}
