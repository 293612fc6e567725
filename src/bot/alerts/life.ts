import type { AlertNews } from '../incident/lines/alert-lines.ts';

/*
 * The life of an alert: its state, a notice about it, and the people who read of it then. The rules follow this table, docs/alert-life.md shows it,
 * and a test tries each cell.
 */

/** The states of a group of alerts before a notice, in words for its table. */
export const alertStates = {
  unknown: 'Muster does not know it',
  offered: 'It is offered',
  storm: 'It is offered in a storm',
  muted: 'A person muted it',
  over: 'It ended, and nobody had acted',
  taken: 'It has an incident that goes on',
  closed: 'It has such an incident, whose channel is archived or deleted',
  resolved: 'A person resolved its incident',
  mistaken: 'Its incident was declared by mistake',
  resolvedByEnd: 'Its incident was resolved with it (`ALERTS_END=auto`)',
} as const;
/** One of {@link alertStates}. */
export type AlertState = keyof typeof alertStates;

/** The notices about a group of alerts, in words for the table. One that is `large` counts as what its head and its count say. */
export const alertArrivals = {
  fires: 'It fires, as before',
  grows: 'More of its alerts fire',
  graver: 'It is graver than people were told',
  others: 'Other alerts of it fire, and no more than before',
  shrinks: 'Some of its alerts ended',
  large: 'It has more than 1,000 alerts, or more than 1 MB',
  ends: 'It ended',
  returnsOld: 'It fires again within 30 minutes, with its old beginning',
  returnsNew: 'It fires again within 30 minutes, with a new beginning',
  returnsLater: 'It fires again later',
  late: 'A notice of what ended comes within two minutes of the end',
  otherTool: 'Another tool tells under its key that other alerts ended',
  otherRoute: 'The same alerts come as another group',
} as const;
/** One of {@link alertArrivals}. */
export type AlertArrival = keyof typeof alertArrivals;

/** Nobody reads of it, and why not. */
interface Silence {
  readonly silent: string;
}

/** The effect of a notice. */
export interface AlertCell {
  /**
   * The channel of alerts. `posted`: a new message, which takes the place of an open one; `edited`: the count of the message; `ended`: the
   * message becomes one line once nothing of it fires.
   */
  readonly channel: 'posted' | 'edited' | 'ended' | Silence;
  /** The line in the room of the incident. */
  readonly room: AlertNews['what'] | Silence;
  /**
   * The act that a setting may want then: to declare, or to raise the severity, for the severities of `ALERTS_DECLARE`; to reopen or to
   * resolve with `ALERTS_END=auto`. A declaration and a raised severity call the people of `CALL`.
   */
  readonly act: 'declare' | 'raise' | 'reopen' | 'resolve' | Silence;
}

const silent = (why: string): Silence => ({ silent: why });

const noRoom = silent('it has no room');
const noAct = silent('nothing new needs people');
const taken = silent('its room reads of it');
const muted = silent('a person muted it');
const noChannel = silent('nobody can read its channel');
const shown = silent('the same alerts are shown already');
const burns = silent('the other alerts of it fire still');
const decided = silent('a person ended its incident');
const inChannel = silent('it may be something else, and the channel of alerts decides');

const nothing = (why: Silence): AlertCell => ({ channel: why, room: why, act: why });
const late = nothing(silent('it tells of what is over'));
const otherTool = nothing(burns);
const otherRoute = nothing(shown);

const edited: AlertCell = { channel: 'edited', room: noRoom, act: noAct };
const posted: AlertCell = { channel: 'posted', room: noRoom, act: 'declare' };
const ended: AlertCell = { channel: 'ended', room: noRoom, act: noAct };

const returns = (cell: AlertCell, later = cell) => ({ returnsOld: cell, returnsNew: cell, returnsLater: later });
const quiet = { late, otherTool, otherRoute };
/** People read nothing of the alerts at present, so they read of them by any group. */
const unseen = { ...quiet, otherRoute: posted };
/** The notices that it fires, however many of its alerts do. */
const firing = (cell: AlertCell) => ({ fires: cell, grows: cell, others: cell, shrinks: cell, large: cell });

const offered = { ...firing(edited), graver: posted, ends: ended, ...returns(posted), ...quiet };

/** An alert burns while its incident is over: the channel of alerts reads of it, and the room. */
const afterwards = {
  ...firing({ channel: 'posted', room: 'burns', act: decided }),
  graver: { channel: 'posted', room: 'burns', act: 'declare' },
  ends: { channel: silent('the message says that its incident is over'), room: 'ended', act: decided },
  ...returns(
    { channel: 'posted', room: 'again', act: decided },
    { channel: 'posted', room: inChannel, act: 'declare' },
  ),
  ...unseen,
} as const;

const reopened: AlertCell = { channel: taken, room: 'again', act: 'reopen' };

/** The table: each state, each notice, and the people who read of it. */
export const alertLife: Readonly<Record<AlertState, Readonly<Record<AlertArrival, AlertCell>>>> = {
  unknown: {
    ...firing(posted),
    graver: posted,
    ends: nothing(silent('nobody was told that it fired')),
    ...returns(posted),
    ...unseen,
  },
  offered,
  storm: {
    ...offered,
    ...firing({ channel: silent('the message lists it'), room: noRoom, act: noAct }),
    ends: edited,
    ...returns(edited, posted),
  },
  muted: {
    ...firing(nothing(muted)),
    graver: posted,
    ends: ended,
    ...returns({ channel: 'edited', room: muted, act: muted }),
    ...quiet,
  },
  over: { ...offered, ...firing(posted), ends: late, ...unseen },
  taken: {
    fires: { channel: taken, room: 'still', act: noAct },
    grows: { channel: taken, room: 'grew', act: noAct },
    graver: { channel: taken, room: 'graver', act: 'raise' },
    others: { channel: taken, room: 'others', act: noAct },
    shrinks: { channel: taken, room: 'still', act: noAct },
    large: { channel: taken, room: 'grew', act: noAct },
    ends: { channel: taken, room: 'ended', act: 'resolve' },
    ...returns({ channel: taken, room: 'again', act: 'raise' }),
    ...quiet,
  },
  closed: {
    ...firing({ channel: 'posted', room: noChannel, act: noAct }),
    graver: { channel: 'posted', room: noChannel, act: 'declare' },
    ends: { channel: silent('nobody waits for it'), room: noChannel, act: 'resolve' },
    ...returns({ channel: 'posted', room: noChannel, act: noAct }),
    ...unseen,
  },
  resolved: afterwards,
  mistaken: afterwards,
  resolvedByEnd: {
    ...firing(reopened),
    graver: reopened,
    ends: late,
    ...returns(reopened, afterwards.returnsLater),
    ...unseen,
  },
};
