import type { Channel } from '../../../../playground/fake-slack/fake-slack.ts';
import type { Declared } from './crowd.ts';
import type { Desk } from './desk.ts';
import { peopleOf } from './rooms.ts';

const roles = ['commander', 'investigator', 'observer'];

/** Adds a task, for somebody or nobody. */
export async function addTask(desk: Desk, incident: Declared, place: Channel | undefined): Promise<void> {
  const assignee = desk.random.chance(0.3) ? ` @${desk.random.pick(peopleOf(desk.world).colleagues).name}` : '';
  const act = await desk.command('task', incident, place, mark => `/task add ${mark} look at the disk${assignee}`);
  if (act) desk.crowd.tasks.push({ mark: act.mark, incident: incident.mark });
}

/** Finishes a task. */
export async function finishTask(desk: Desk): Promise<void> {
  const { tasks, declared } = desk.crowd;
  if (tasks.length === 0) return;
  const task = desk.random.pick(tasks);
  const incident = declared.find(each => each.mark === task.incident);
  if (!incident) return;
  const line = `/task done ${task.mark}`;
  await desk.command('done', incident, desk.placeOf(incident), () => line, { mark: '', value: task.mark });
}

/** Gives somebody a role that they never had. */
export async function giveRole(desk: Desk, incident: Declared, place: Channel | undefined): Promise<void> {
  const role = desk.random.pick(roles);
  const person = desk.random.pick(peopleOf(desk.world).colleagues);
  const name = `${incident.mark} ${role} ${person.id}`;
  if (desk.crowd.roles.has(name)) return;
  desk.crowd.roles.add(name);
  const line = `/role assign @${person.name} ${role}`;
  await desk.command('role', incident, place, () => line, { mark: '', value: `${role} ${person.id}` });
}
