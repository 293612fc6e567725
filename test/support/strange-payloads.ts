const user = { id: 'U1', team_id: 'T1' };
const press = { action_id: 'a', block_id: 'b', action_ts: '1.1' };
const view = { id: 'V1', callback_id: 'c', private_metadata: '', state: { values: {} } };

/** Payloads of interactions that Muster does not know, or that are not as Slack writes them. */
export const strangePayloads: readonly (readonly [what: string, payload: Readonly<Record<string, unknown>>])[] = [
  ['nothing', {}],
  ['no type', { user, trigger_id: '1' }],
  ['a type that is none', { type: { deep: 1 }, user }],
  ['a type of an object', { type: '__proto__', user }],
  ['a new type', { type: 'workflow_step_edit', user, trigger_id: '1' }],
  ['a picker that asks for choices', { type: 'block_suggestion', user, action_id: 'a', value: 'x' }],
  ['a form that was closed', { type: 'view_closed', user, view }],
  ['no actions', { type: 'block_actions', user, trigger_id: '1', actions: [] }],
  ['actions that are null', { type: 'block_actions', user, trigger_id: '1', actions: null }],
  ['an action that is null', { type: 'block_actions', user, trigger_id: '1', actions: [null] }],
  ['a press by nobody', { type: 'block_actions', trigger_id: '1', actions: [press] }],
  ['a press that is also an event', { type: 'block_actions', user, trigger_id: '1', actions: [press], event: null }],
  ['a form without values', { type: 'view_submission', user, view: { ...view, state: null } }],
  ['a form without a view', { type: 'view_submission', user }],
  ['a form whose field is null', { type: 'view_submission', user, view: { ...view, state: { values: { a: null } } } }],
  ['a shortcut without a name', { type: 'shortcut', user, trigger_id: '1' }],
  [
    'a shortcut on no message',
    { type: 'message_action', user, trigger_id: '1', callback_id: 'c', channel: { id: 'C' } },
  ],
  ['an event that is null', { type: 'event_callback', event: null }],
  ['an event about null', { type: 'event_callback', event: { type: 'reaction_added', item: null } }],
  ['a command without words', { command: '/incident', user_id: 'U1' }],
  ['a command that is a number', { command: 7, text: 'declare', user_id: 'U1' }],
];
