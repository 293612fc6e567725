import { html } from 'htm/preact';
import type { ComponentType, VNode } from 'preact';
import { isJsonObject, type JsonObject, toObject, toObjects, toText } from '../../fake-slack/protocol/json.ts';
import { DataTable } from './data-table.ts';
import { Element, Unknown } from './element.ts';
import { BlockContext } from './element-use.ts';
import { Folded } from './folded.ts';
import { ImageBlock } from './image.ts';
import { Text } from './inlines.ts';
import { InputBlock } from './input-block.ts';
import { Card, Carousel, Chart, Container, Feedback, Markdown, Table, Task, Video } from './newer-blocks.ts';
import { RichText } from './rich-text.ts';

type Shown = ComponentType<{ readonly block: JsonObject }>;

/** How each kind of block is shown. */
const shown: Readonly<Record<string, Shown>> = {
  section: Section,
  header: ({ block }) => html`<h3 class="header"><${Text} object=${block.text} /></h3>`,
  divider: () => html`<hr class="divider" />`,
  context: ({ block }) => html`<div class="context">${elementsOf(block)}</div>`,
  actions: ({ block }) => html`<div class="actions">${elementsOf(block)}</div>`,
  image: ImageBlock,
  input: InputBlock,
  rich_text: RichText,
  data_table: DataTable,
  alert: Alert,
  markdown: Markdown,
  table: Table,
  video: Video,
  card: Card,
  carousel: Carousel,
  container: ({ block }) =>
    html`<${Container} block=${block}><${Blocks} blocks=${toObjects(block.child_blocks)} /></${Container}>`,
  plan: Task,
  task_card: Task,
  context_actions: Feedback,
  data_visualization: Chart,
  file: () => html``,
};

function elementsOf(block: JsonObject): VNode[] {
  return toObjects(block.elements).map(
    (element, index) => html`<${Element} key=${toText(element.action_id) || index} element=${element} />`,
  );
}

/** Shows blocks, one below the other. A block that the page does not know is shown as such. */
export function Blocks({ blocks }: { readonly blocks: readonly JsonObject[] }): VNode {
  return html`<div class="blocks">${blocks.map((block, index) => {
    const id = toText(block.block_id);
    return html`<${Block} key=${id || index} block=${block} />`;
  })}</div>`;
}

function Block({ block }: { readonly block: JsonObject }): VNode {
  const type = toText(block.type);
  const Component = Object.hasOwn(shown, type) ? shown[type] : undefined;
  if (Component === undefined) return html`<${Unknown} kind="block" json=${block} />`;
  return html`<${BlockContext.Provider} value=${{ blockId: toText(block.block_id), isQuiet: false }}>
    <${Component} block=${block} />
  </${BlockContext.Provider}>`;
}

/** A section: text, fields in two columns, and an element at the right. */
function Section({ block }: { readonly block: JsonObject }): VNode {
  const fields = toObjects(block.fields);
  const words = toText(toObject(block.text).text);
  return html`<div class="section">
    <div class="section-body">
      ${
        block.text !== undefined &&
        html`<${Folded} words=${words} isOpen=${block.expand === true}>
          <div class="section-text"><${Text} object=${block.text} /></div>
        </${Folded}>`
      }
      ${
        fields.length > 0 &&
        html`<div class="fields">${fields.map(field => html`<div class="field-cell"><${Text} object=${field} /></div>`)}</div>`
      }
    </div>
    ${isJsonObject(block.accessory) && html`<div class="accessory"><${Element} element=${block.accessory} /></div>`}
  </div>`;
}

const levels: Readonly<Record<string, readonly [icon: string, name: string]>> = {
  info: ['ℹ️', 'Information'],
  warning: ['⚠️', 'Warning'],
  error: ['⛔', 'Error'],
  success: ['✅', 'Success'],
  default: ['📌', 'Note'],
};

/** An alert, in the colour of its level. */
function Alert({ block }: { readonly block: JsonObject }): VNode {
  const level = Object.hasOwn(levels, toText(block.level)) ? toText(block.level) : 'default';
  const [icon, name] = levels[level] ?? ['', ''];
  return html`<div class=${`alert level-${level}`} role="note" aria-label=${name}>
    <span aria-hidden="true">${icon}</span><div><${Text} object=${block.text} /></div>
  </div>`;
}
