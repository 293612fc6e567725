import { initialValues, type StateValues } from '../block-kit/fields.ts';
import { withIds } from '../block-kit/ids.ts';
import { checkView } from '../block-kit/view.ts';
import { isJsonObject, type JsonObject, toObjects, toText } from '../protocol/json.ts';
import { SlackError } from '../protocol/slack-error.ts';
import { isOrgInstall, organisation } from './grid.ts';
import type { Workspace } from './workspace.ts';

/** Modals in one stack (docs/slack.md 4). */
const stackLimit = 3;

/** A home tab that is kept. */
export interface SavedHome {
  readonly id: string;
  readonly userId: string;
  readonly payload: JsonObject;
}

/** A modal or home tab of one person. The object is live: updates show in it. */
export class OpenView {
  readonly id: string;
  readonly userId: string;
  readonly rootId: string;
  readonly previousId: string | undefined;
  /** The channel the person was looking at when it opened. */
  readonly channelId: string | undefined;
  /** What the app sent, ids filled in. */
  payload: JsonObject = {};
  hash = '';
  /** What is filled in so far. */
  values: StateValues = {};
  /** Errors under the inputs: block id → text. */
  errors: Record<string, string> = {};
  /** Slack's notice at the top of the modal, when the app's answer to a submission was unusable. */
  failureNotice: string | undefined;

  constructor(id: string, userId: string, rootId: string, previousId?: string, channelId?: string) {
    this.id = id;
    this.userId = userId;
    this.rootId = rootId;
    this.previousId = previousId;
    this.channelId = channelId;
  }

  get type(): 'modal' | 'home' {
    return this.payload.type === 'home' ? 'home' : 'modal';
  }

  get title(): string {
    return isJsonObject(this.payload.title) ? toText(this.payload.title.text) : '';
  }

  get callbackId(): string {
    return toText(this.payload.callback_id);
  }

  get privateMetadata(): string {
    return toText(this.payload.private_metadata);
  }

  get externalId(): string {
    return toText(this.payload.external_id);
  }

  get blocks(): readonly JsonObject[] {
    return toObjects(this.payload.blocks);
  }
}

/** The open modals and the home tab of each person. */
export class Modals {
  readonly #workspace: Workspace;
  readonly #stacks = new Map<string, OpenView[]>();
  readonly #homes = new Map<string, OpenView>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Every home tab. */
  get homes(): readonly OpenView[] {
    return [...this.#homes.values()];
  }

  /** Sets a home tab as it was kept. */
  restoreHome({ id, userId, payload }: SavedHome): void {
    const home = new OpenView(id, userId, id);
    this.#fill(home, payload);
    this.#homes.set(userId, home);
  }

  /** The modals in front of a person, from the bottom to the top. */
  stack(userId: string): readonly OpenView[] {
    return this.#stacks.get(userId) ?? [];
  }

  /** Tells the watchers that a person's views changed. */
  tell(userId: string): void {
    this.#workspace.tell({ kind: 'views', userId });
  }

  /** The modal in front of a person. */
  top(userId: string): OpenView | undefined {
    return this.#stacks.get(userId)?.at(-1);
  }

  home(userId: string): OpenView | undefined {
    return this.#homes.get(userId);
  }

  /** Opens a modal in front of a person who looks at that channel. It replaces the modals the app had open there. */
  open(userId: string, channelId: string | undefined, view: unknown): OpenView {
    const payload = this.#check(view, 'modal');
    this.#stacks.delete(userId);
    return this.#add(userId, payload, channelId);
  }

  /** Pushes a modal on a person's stack. */
  push(userId: string, view: unknown): OpenView {
    const payload = this.#check(view, 'modal');
    if ((this.#stacks.get(userId)?.length ?? 0) >= stackLimit) throw new SlackError('push_limit_reached');
    return this.#add(userId, payload, this.top(userId)?.channelId);
  }

  /** Replaces an open view, found by its id or external id. Throws `hash_conflict` for a stale hash. */
  update(
    by: { viewId?: string | undefined; externalId?: string | undefined; hash?: string | undefined },
    view: unknown,
  ) {
    const open = this.find(by.viewId, by.externalId);
    if (open === undefined) throw new SlackError('not_found');
    const payload = this.#check(view, 'modal', open);
    if (by.hash !== undefined && by.hash !== open.hash) throw new SlackError('hash_conflict');
    this.#fill(open, payload);
    this.tell(open.userId);
    return open;
  }

  /** Sets a person's home tab. */
  publish(userId: string, view: unknown, hash: string | undefined): OpenView {
    const payload = this.#check(view, 'home');
    const before = this.#homes.get(userId);
    if (hash !== undefined && before !== undefined && hash !== before.hash) throw new SlackError('hash_conflict');
    const id = before?.id ?? this.#workspace.nextId('V');
    const home = before ?? new OpenView(id, userId, id);
    this.#fill(home, payload);
    this.#homes.set(userId, home);
    this.tell(userId);
    return home;
  }

  find(viewId: string | undefined, externalId: string | undefined): OpenView | undefined {
    return [...this.#stacks.values()]
      .flat()
      .find(view => view.id === viewId || (externalId !== undefined && view.externalId === externalId));
  }

  /** Closes a modal. The one below it comes to the front. */
  close(view: OpenView): void {
    const stack = this.#stacks.get(view.userId) ?? [];
    this.#stacks.set(
      view.userId,
      stack.filter(other => other !== view),
    );
    this.tell(view.userId);
  }

  /** Closes all modals of a person. */
  clear(userId: string): void {
    this.#stacks.delete(userId);
    this.tell(userId);
  }

  /** The view as payloads and answers carry it. */
  serialize(view: OpenView): JsonObject {
    const { payload } = view;
    return {
      id: view.id,
      team_id: this.#workspace.teamId,
      type: view.type,
      blocks: view.blocks,
      private_metadata: view.privateMetadata,
      callback_id: view.callbackId,
      state: { values: view.values },
      hash: view.hash,
      title: payload.title ?? { type: 'plain_text', text: 'View Title', emoji: true },
      clear_on_close: payload.clear_on_close === true,
      notify_on_close: payload.notify_on_close === true,
      close: payload.close ?? null,
      submit: payload.submit ?? null,
      previous_view_id: view.previousId ?? null,
      root_view_id: view.rootId,
      app_id: this.#workspace.appId,
      external_id: view.externalId,
      app_installed_team_id: isOrgInstall(this.#workspace.grid) ? organisation.id : this.#workspace.teamId,
      bot_id: this.#workspace.botId,
    };
  }

  #check(view: unknown, type: 'modal' | 'home', replaced?: OpenView): JsonObject {
    const payload = checkView(view, type);
    const externalId = toText(payload.external_id);
    const holder = externalId === '' ? undefined : this.find(undefined, externalId);
    if (holder !== undefined && holder !== replaced) throw new SlackError('duplicate_external_id');
    return payload;
  }

  #add(userId: string, payload: JsonObject, channelId: string | undefined): OpenView {
    const stack = this.#stacks.get(userId) ?? [];
    const id = this.#workspace.nextId('V');
    const below = stack.at(-1);
    const view = new OpenView(id, userId, below?.rootId ?? id, below?.id, channelId);
    this.#fill(view, payload);
    this.#stacks.set(userId, [...stack, view]);
    this.tell(userId);
    return view;
  }

  #fill(view: OpenView, payload: JsonObject): void {
    view.payload = { ...payload, blocks: withIds(toObjects(payload.blocks), this.#workspace.randomId) };
    view.hash = `${this.#workspace.seconds()}.${this.#workspace.randomId().slice(0, 8)}`;
    view.values = initialValues(view.blocks, view.values);
    view.errors = {};
    view.failureNotice = undefined;
  }
}
