import type { Snapshot } from '../../support/soundness/snapshot.ts';

/** A write that was sent: whether its answer came, and how often its effect is in a database. */
export interface Sent {
  readonly name: string;
  acknowledged: boolean;
  count(snapshot: Snapshot): number;
}

/** What one connection knows of what it has made; it forgets what an unanswered write may have changed. */
export interface Memory {
  incidentID: string | undefined;
  status: 'active' | 'resolved';
  openTask: string | undefined;
  dashboard: { readonly uid: string; version: number } | undefined;
}

/** A request to make, how to find its effect, and what to remember when it was answered. */
export interface Write {
  readonly name: string;
  readonly path: string;
  readonly body: object;
  count(snapshot: Snapshot): number;
  learn?(answer: Answer): void;
}

/** The members of answers that writers remember. */
export interface Answer {
  readonly incident?: { readonly incidentID: string };
  readonly task?: { readonly taskID: string };
  readonly version?: number;
}

const base = '/api/plugins/grafana-irm-app/resources/api/v1';

/** A memory of nothing. */
export function emptyMemory(): Memory {
  return { incidentID: undefined, status: 'active', openTask: undefined, dashboard: undefined };
}

/** The next write of a connection: `mark` is in it and in no other; `shared` is an incident that all connections write to. */
export function nextWrite(random: () => number, memory: Memory, mark: string, shared: string): Write {
  const own = memory.incidentID;
  if (own === undefined) return declare(memory, mark);
  const incidentID = random() < 0.5 ? own : shared;
  const choices: readonly (() => Write)[] = [
    () => declare(memory, mark),
    () => note(incidentID, mark),
    () => note(incidentID, mark),
    () => addTask(memory, own, mark),
    () => (memory.openTask === undefined ? addTask(memory, own, mark) : endTask(memory, own, memory.openTask)),
    () => changeStatus(memory, own),
    () => rename(incidentID, mark),
    () => assign(incidentID, mark),
    () => label(incidentID, mark),
    () => saveDashboard(memory, mark),
    () => shorten(mark),
  ];
  const choice = choices[Math.floor(random() * choices.length)] ?? choices[0];
  if (!choice) throw new Error('there is nothing to choose from');
  return choice();
}

function declare(memory: Memory, mark: string): Write {
  const title = `Incident ${mark}`;
  return {
    name: `declare ${mark}`,
    path: `${base}/IncidentsService.CreateIncident`,
    body: { title },
    count: ({ items }) => items.filter(each => each.kind === 'incidentCreated' && each.fields.title === title).length,
    learn({ incident }) {
      Object.assign(memory, { ...emptyMemory(), dashboard: memory.dashboard, incidentID: incident?.incidentID });
    },
  };
}

function note(incidentID: string, mark: string): Write {
  const body = `Note ${mark}, see https://example.com/${mark}`;
  return {
    name: `note ${mark}`,
    path: `${base}/ActivityService.AddActivity`,
    body: { incidentID, body },
    count: ({ items }) => items.filter(each => each.kind === 'userNote' && each.body === body).length,
  };
}

function addTask(memory: Memory, incidentID: string, mark: string): Write {
  const text = `Task ${mark}`;
  return {
    name: `task ${mark}`,
    path: `${base}/TasksService.AddTask`,
    body: { incidentID, text },
    count: ({ items }) => items.filter(each => each.kind === 'taskAdded' && each.fields.text === text).length,
    learn({ task }) {
      memory.openTask = task?.taskID;
    },
  };
}

function endTask(memory: Memory, incidentID: string, taskID: string): Write {
  return {
    name: `end ${taskID}`,
    path: `${base}/TasksService.UpdateTaskStatus`,
    body: { incidentID, taskID, status: 'done' },
    count: ({ items }) => items.filter(each => each.kind === 'taskCompleted' && each.fields.taskID === taskID).length,
    learn() {
      memory.openTask = undefined;
    },
  };
}

/** Each incident is resolved once and reopened once at most, so that every change can be told from the others. */
function changeStatus(memory: Memory, incidentID: string): Write {
  const status = memory.status === 'active' ? 'resolved' : 'active';
  return {
    name: `${status} ${incidentID}`,
    path: `${base}/IncidentsService.UpdateStatus`,
    body: { incidentID, status },
    count: ({ itemsOf }) =>
      itemsOf(Number(incidentID)).filter(each => each.kind === 'incidentStatusChanged' && each.fields.status === status)
        .length,
    learn() {
      if (status === 'active') memory.incidentID = undefined;
      else memory.status = status;
    },
  };
}

function rename(incidentID: string, mark: string): Write {
  const title = `Renamed ${mark}`;
  return {
    name: `rename ${mark}`,
    path: `${base}/IncidentsService.UpdateTitle`,
    body: { incidentID, title },
    count: ({ items }) =>
      items.filter(each => each.kind === 'incidentTitleChanged' && each.fields.title === title).length,
  };
}

function assign(incidentID: string, mark: string): Write {
  const userID = `user:${mark}`;
  return {
    name: `assign ${mark}`,
    path: `${base}/IncidentsService.AssignRole`,
    body: { incidentID, userID, role: 'observer' },
    count: ({ assignments }) => assignments.filter(each => each.user_id === userID).length,
  };
}

function label(incidentID: string, mark: string): Write {
  return {
    name: `label ${mark}`,
    path: `${base}/IncidentsService.AddLabel`,
    body: { incidentID, label: { label: mark } },
    count: ({ labels }) => labels.filter(each => each.label === mark).length,
  };
}

function saveDashboard(memory: Memory, mark: string): Write {
  const { uid, version } = memory.dashboard ?? { uid: `d-${mark}`, version: 0 };
  return {
    name: `save ${mark}`,
    path: '/api/dashboards/db',
    body: { dashboard: { uid, version, title: `Board ${uid}`, tags: [mark, 'all'] }, message: mark },
    count: ({ dashboardVersions }) => dashboardVersions.filter(each => each.message === mark).length,
    learn(answer) {
      memory.dashboard = { uid, version: answer.version ?? 0 };
    },
  };
}

function shorten(mark: string): Write {
  const path = `d/x?mark=${mark}`;
  return {
    name: `shorten ${mark}`,
    path: '/api/short-urls',
    body: { path },
    count: ({ shortUrls }) => shortUrls.filter(each => each.path === path).length,
  };
}
