import type { State } from '../state.ts';

/** How things were when a step began. */
export interface Beginning {
  readonly state: State;
  /** Unix milliseconds. */
  readonly at: number;
}

/** A step of the tour: what to do, and how the page sees that it is done. */
export interface TourStep {
  readonly title: string;
  readonly words: string;
  readonly isDone: (state: State, beginning: Beginning) => boolean;
}

/** The rooms of incidents that the person is in. */
function rooms({ workspace }: State): readonly string[] {
  return (workspace?.channels ?? []).filter(each => each.isMember && /^inc-\d/.test(each.name)).map(each => each.id);
}

/** Calls of an RPC method on the wire that came back well since the step began. */
function hasCalled(state: State, { at }: Beginning, name: string): boolean {
  return state.wire.some(line => line.at >= at && line.way === 'RPC' && line.name === name && line.outcome === 'ok');
}

const isApiDown = ({ system }: State): boolean => system?.faults.includes('API down') ?? false;

/** Intents that wait for the API. */
const isWaiting = ({ journal }: State): boolean =>
  journal?.intents.some(each => each.state === 'pending' || each.state === 'running') ?? false;

/** A whole incident in two minutes. */
export const tourSteps: readonly TourStep[] = [
  {
    title: 'Declare an incident',
    words:
      'The checkout is down. Type `/incident declare Checkout answers 500` in any channel, press Enter, and send the form that opens.',
    isDone: (state, beginning) => rooms(state).some(id => !rooms(beginning.state).includes(id)),
  },
  {
    title: 'Take command',
    words:
      'Open the new channel of the incident in the list. Type `/role assign me commander`, or press the button on the card.',
    isDone: (state, beginning) => hasCalled(state, beginning, 'IncidentsService.AssignRole'),
  },
  {
    title: 'Put a reply on the timeline',
    words:
      'Write a message, and answer it in its thread. Open “More actions” of your reply and choose “Add to timeline”, or react to it with 📝.',
    isDone: (state, beginning) => hasCalled(state, beginning, 'ActivityService.AddActivity'),
  },
  {
    title: 'Break the API',
    words:
      'Open “Behind the scenes”, “Break things”, and switch “API down” on. Then type `/task add Roll back the release` in the incident’s channel.',
    isDone: state => isApiDown(state) && isWaiting(state),
  },
  {
    title: 'Let it come back',
    words:
      'Nothing is lost: “Journal” shows the task as pending. Switch “API down” off, and watch it become done. That takes up to a minute: the lost request might still arrive, and a task must not stand there twice.',
    isDone: (state, beginning) => !isApiDown(state) && hasCalled(state, beginning, 'TasksService.AddTask'),
  },
  {
    title: 'Resolve it',
    words:
      'Type `/incident resolve` in the incident’s channel and send the form. Then look at “Incident page”: the whole story is there. “Stories” plays a grave incident: who is called, what is owed, who is caught up.',
    isDone: (state, beginning) => hasCalled(state, beginning, 'IncidentsService.UpdateStatus'),
  },
];
