import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { initialValues, type StateValues } from '../../fake-slack/block-kit/fields.ts';
import { blocksOf } from '../../fake-slack/block-kit/message-blocks.ts';
import type { MessageView } from '../../workspace/protocol.ts';
import { Attachments } from './attachments.ts';
import { Blocks } from './blocks.ts';
import { type ElementUse, ElementUseContext } from './element-use.ts';
import { Folded } from './folded.ts';
import { Mrkdwn } from './inlines.ts';
import { useSurroundings } from './surroundings.ts';

/** What a message says: its blocks or else its text, then its attachments. The store holds why a press had no effect. */
export function MessageContent({ message }: { readonly message: MessageView }): VNode {
  const { act } = useSurroundings();
  const [kept, setKept] = useState<StateValues>({});
  const all = blocksOf(message);
  const values = useMemo(() => initialValues(all, kept), [message.blocks, message.attachments, kept]);
  const place = { message: { channel: message.channel, ts: message.ts } };
  const use: ElementUse = {
    values,
    keep: (blockId, actionId, value) =>
      setKept(before => ({ ...before, [blockId]: { ...before[blockId], [actionId]: value } })),
    tell: (blockId, actionId, value) => void act({ do: 'use', place, blockId, actionId, value }),
  };
  return html`<${ElementUseContext.Provider} value=${use}>
    <div class="message-content">
      ${
        message.blocks.length > 0
          ? html`<${Blocks} blocks=${message.blocks} />`
          : message.text !== '' &&
            html`<${Folded} words=${message.text}><div class="section-text"><${Mrkdwn} text=${message.text} /></div></${Folded}>`
      }
      <${Attachments} attachments=${message.attachments} />
    </div>
  </${ElementUseContext.Provider}>`;
}
