import type { Person } from '../../../../playground/fake-slack/fake-slack.ts';
import type { World } from '../world.ts';
import { consequence } from './aftermath.ts';
import { actOnAlert } from './alerts.ts';
import { answerOne, call } from './calls.ts';
import { change, drawChange, rival, severities, undo } from './changes.ts';
import type { Crowd, Declared } from './crowd.ts';
import { declare, pickIncident } from './declarations.ts';
import { Desk } from './desk.ts';
import { doDuty, reopenSome } from './duties.ts';
import { addMessage, editMention, mention, say, talk } from './notes.ts';
import { page } from './pages.ts';
import { promise } from './promises.ts';
import { enterAndChange } from './rooms.ts';
import { addTask, finishTask, giveRole } from './tasks.ts';

/** What people do besides, where rooms change. */
const roomWays = ['change room', 'change room', 'change room', 'change room', 'status', 'list'] as const;
/** Usual people, who also change what others have just changed. */
const rivalWays = [
  ...['severity', 'severity', 'severity', 'change', 'change', 'change'],
  ...['rival', 'rival', 'rival', 'rival', 'rival', 'rival', 'rival', 'rival'],
  ...['undo', 'undo', 'undo', 'undo', 'undo', 'undo'],
] as const;
/** Usual people, who also note talk by reactions. */
const talkWays = ['say', 'say', 'talk', 'talk', 'talk', 'talk', 'talk', 'talk'] as const;
/** Usual people, who also do what goes with their roles. */
const dutyWays = ['duty', 'duty', 'duty', 'duty', 'duty', 'duty', 'duty', 'duty', 'duty', 'duty'] as const;

/** Usual people, who also go on after a resolution. */
const aftermathWays = ['resolve', 'resolve', ...Array.from({ length: 16 }, () => 'follow up' as const)] as const;

/** Usual people, while a monitoring tool sends alerts. */
const alertWays = ['alert', 'alert', 'alert', 'alert', 'alert', 'alert'] as const;

/** Usual people, who also run incidents: they call others, promise updates, and page. */
const callWays = ['call', 'call', 'call', 'call', 'answer', 'answer', 'answer', 'answer'] as const;
const promiseWays = Array.from({ length: 10 }, () => 'promise' as const);
const pageWays = ['page', 'page', 'page', 'page', 'page'] as const;

/** One person at work: acts, reads the answer or does not wait for it, and acts again. */
export class Colleague {
  readonly #desk: Desk;

  constructor(world: World, crowd: Crowd, person: Person) {
    this.#desk = new Desk(world, crowd, person);
  }

  /** Works until people stop acting. */
  async work(): Promise<void> {
    const desk = this.#desk;
    const { time, actingUntil, history } = desk.world;
    await time.pause(desk.random.whole(1000, 15_000));
    while (time.now() < actingUntil) {
      try {
        if (!desk.person.record.deleted) await this.#actOnce();
      } catch (error) {
        history.add(desk.person.name, `cannot do that: ${error instanceof Error ? error.stack : error}`);
      }
      await time.pause(desk.random.whole(100, desk.random.pick([500, 8_000, 40_000])));
    }
  }

  /** Late, reopens some incidents. */
  async reopen(): Promise<void> {
    await reopenSome(this.#desk);
  }

  /** Late, presses Undo, and looks from outside, in every way, at incidents that are not for them. */
  async lookAround(): Promise<void> {
    const desk = this.#desk;
    // It is too late for that.
    await undo(desk);
    const { witness } = desk.world;
    const hidden = desk.crowd.declared.filter(each => !witness.readers.maySee(desk.person, each.mark));
    const [first] = hidden;
    if (!first) return;
    const look = (incident: Declared, line: string, isAnywhere = false) =>
      desk.command('look', incident, 'general', () => line, { mark: '', isAnywhere });
    await look(first, '/incident list', true);
    for (const incident of hidden.slice(-3))
      for (const line of ['/incident status', '/task list', '/note list', '/role list']) await look(incident, line);
    if (desk.world.plan.areDutiesDone) desk.person.openHome();
    const message = desk.person.say('general', 'where does this belong');
    await desk.do({ kind: 'look', what: 'opens the form for a message' }, () =>
      desk.person.shortcut('add_timeline', message),
    );
  }

  async #actOnce(): Promise<unknown> {
    const desk = this.#desk;
    const { declared } = desk.crowd;
    if (declared.length === 0 || desk.random.chance(0.08)) return declare(desk);
    const incident = desk.random.pick(declared);
    const place = desk.placeOf(incident);
    const way = desk.random.pick([
      'note',
      'note',
      'note',
      'mention',
      'mention',
      'edit',
      'edit',
      'say',
      'message',
      'message',
      'task',
      'task',
      'done',
      'role',
      'severity',
      'resolve',
      'reopen',
      'status',
      'list',
      'outside',
      'pick',
      'change',
      'change',
      'change',
      'undo',
      'undo',
      'undo',
      ...(desk.world.plan.isContended ? rivalWays : []),
      ...(desk.world.plan.areRoomsChanged ? roomWays : []),
      ...(desk.world.plan.isTalkChanged ? talkWays : []),
      ...(desk.world.plan.areDutiesDone ? dutyWays : []),
      ...(desk.world.plan.isFollowedUp ? aftermathWays : []),
      ...(desk.world.plan.areAlertsSent ? alertWays : []),
      ...(desk.world.plan.areCallsMade ? callWays : []),
      ...(desk.world.plan.arePromisesMade ? promiseWays : []),
      ...(desk.world.plan.arePagesSent ? pageWays : []),
    ]);
    switch (way) {
      case 'note':
        return desk.command('note', incident, place, mark => `/note add ${mark} something was seen`);
      case 'mention':
        return mention(desk, incident, place);
      case 'edit':
        return editMention(desk);
      case 'say':
        return say(desk, incident, place);
      case 'message':
        return addMessage(desk);
      case 'task':
        return addTask(desk, incident, place);
      case 'done':
        return finishTask(desk);
      case 'role':
        return giveRole(desk, incident, place);
      case 'severity': {
        const value = desk.random.pick(severities);
        return change(desk, incident, place, `/incident severity ${value}`);
      }
      case 'resolve':
        return desk.command('resolve', incident, place, mark => `/incident resolve ${mark} it is over --now`);
      case 'reopen':
        return desk.command('reopen', incident, place, () => '/incident reopen', { mark: '' });
      case 'status':
        return desk.command('look', incident, place, () => '/incident status', { mark: '' });
      case 'list':
        return desk.command('look', incident, 'general', () => '/incident list', { mark: '', isAnywhere: true });
      case 'change': {
        const line = drawChange(desk.world, desk.crowd, incident, desk.random);
        return line && change(desk, incident, place, line);
      }
      case 'rival':
        return rival(desk);
      case 'undo':
        return undo(desk);
      case 'talk':
        return talk(desk, incident, place);
      case 'duty':
        return doDuty(desk, incident, place);
      case 'alert':
        return actOnAlert(desk);
      case 'call':
        return call(desk, incident, place);
      case 'answer':
        return answerOne(desk);
      case 'promise':
        return promise(desk, incident, place);
      case 'page':
        return page(desk, incident, place);
      case 'follow up':
        return consequence(desk, incident, place);
      case 'change room':
        return enterAndChange(desk, incident);
      case 'outside':
        return desk.command('note', incident, 'general', mark => `/note add ${mark} seen from outside`);
      default:
        return pickIncident(desk, incident);
    }
  }
}
