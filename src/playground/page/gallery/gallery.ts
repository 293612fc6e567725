import { html, render } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Act, ActAnswer, FormContent, Json, WorkspaceView } from '../../workspace/protocol.ts';
import { MessageContent } from '../blocks/message-content.ts';
import { type Surroundings, SurroundingsContext } from '../blocks/surroundings.ts';
import { ViewContent } from '../blocks/view-content.ts';
import { attachmentSamples, elementSamples, inputSamples } from './element-samples.ts';
import { newerSamples } from './newer-samples.ts';
import { textSamples } from './text-samples.ts';

const person = { tz: 'Europe/Berlin', kind: 'member', isDeactivated: false } as const;
const channel = {
  isMember: true,
  isArchived: false,
  isShared: false,
  topic: '',
  purpose: '',
  members: ['U1', 'U2'],
  bookmarks: [],
  pins: 0,
  readTs: '0',
  unread: 0,
  mentions: 0,
} as const;

const workspace: WorkspaceView = {
  team: 'Gallery',
  me: 'U1',
  app: 'U0',
  people: [
    { ...person, id: 'U0', name: 'muster', realName: 'Muster', kind: 'app' },
    { ...person, id: 'U1', name: 'ana', realName: 'Ana Ruiz' },
    { ...person, id: 'U2', name: 'ben', realName: 'Ben Okoro' },
  ],
  groups: [{ id: 'S1', handle: 'oncall' }],
  channels: [
    { ...channel, id: 'C1', name: 'general', kind: 'public' },
    { ...channel, id: 'C2', name: 'incident-checkout', kind: 'private' },
  ],
  commands: [],
  shortcuts: [],
  views: [],
};

const view: FormContent = {
  id: 'V1',
  type: 'modal',
  title: 'Every input',
  submit: 'Send',
  close: 'Cancel',
  blocks: inputSamples,
  values: {},
  errors: { Mail: 'Nobody has this address. Write another.' },
  hash: '1',
};

const runbooks = ['Roll back', 'Fail over', 'Restart'];

function toOption(text: string): Json {
  return { text: { type: 'plain_text', text }, value: text };
}

/** Every block and element on one page, for those who work on them. What one does stands in the list of acts at its end. */
function Gallery(): VNode {
  const [acts, setActs] = useState<readonly Act[]>([]);
  const surroundings: Surroundings = {
    workspace,
    act: async (act): Promise<ActAnswer> => {
      setActs(before => [...before, act]);
      return {};
    },
    findOptions: async ({ typed }) => ({
      options: runbooks.filter(each => each.toLowerCase().includes(typed.toLowerCase())).map(toOption),
    }),
    showChannel: () => undefined,
  };
  const samples = Object.entries({ ...textSamples, ...elementSamples, ...newerSamples });
  return html`<${SurroundingsContext.Provider} value=${surroundings}>
    <main>
      <h1>Blocks and elements</h1>
      ${samples.map(
        ([name, blocks], index) => html`<section class="sample" aria-label=${name}>
          <h2>${name}</h2>
          <${MessageContent} message=${{ channel: 'C1', ts: String(index), text: name, blocks, attachments: [] }} />
        </section>`,
      )}
      <section class="sample" aria-label="Attachments">
        <h2>Attachments</h2>
        <${MessageContent} message=${{ channel: 'C1', ts: 'a', text: 'A message with *attachments*', blocks: [], attachments: attachmentSamples }} />
      </section>
      <section class="sample" aria-label="Inputs">
        <h2>Inputs</h2>
        <${ViewContent} view=${view} formId="inputs" />
        <div class="view-content"><button type="submit" class="button primary" form="inputs">${view.submit}</button></div>
      </section>
      <section class="sample" aria-label="Acts">
        <h2>Acts</h2>
        <ol>${acts.map(act => html`<li><code>${JSON.stringify(act)}</code></li>`)}</ol>
      </section>
    </main>
  </${SurroundingsContext.Provider}>`;
}

const root = document.getElementById('gallery');
if (root !== null) render(html`<${Gallery} />`, root);
