import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { type JsonObject, toText } from '../../../fake-slack/protocol/json.ts';
import { Text } from './inlines.ts';

const levels: Readonly<Record<string, readonly [icon: string, name: string]>> = {
  info: ['ℹ️', 'Information'],
  warning: ['⚠️', 'Warning'],
  error: ['⛔', 'Error'],
  success: ['✅', 'Success'],
  default: ['📌', 'Note'],
};

/** An alert, in the colour of its level. */
export function Alert({ block }: { readonly block: JsonObject }): VNode {
  const level = Object.hasOwn(levels, toText(block.level)) ? toText(block.level) : 'default';
  const [icon, name] = levels[level] ?? ['', ''];
  return html`<div class=${`alert level-${level}`} role="note" aria-label=${name}>
    <span aria-hidden="true">${icon}</span><div><${Text} object=${block.text} /></div>
  </div>`;
}
