import { filledIn, optionText, type StateValues } from '../block-kit/fields.ts';
import { fromRichText } from '../block-kit/rich-text.ts';
import { decodeEntities } from '../protocol/entities.ts';
import { isJsonObject, type JsonObject, toObjects, toText } from '../protocol/json.ts';
import type { OpenView } from '../workspace/modals.ts';
import type { Message } from '../workspace/records.ts';
import { broadcastSign, type Directory, renderInline, renderMrkdwn } from './mrkdwn.ts';

/** Renders a message as the plain text a person reads, with buttons as `[Text]`. */
export function renderMessageText(names: Directory, message: Message): string {
  const directory = { ...names, writtenAt: new Date(Number(message.edited?.ts ?? message.ts) * 1000) };
  const text = renderMrkdwn(directory, message.text);
  const lines = message.blocks.length === 0 ? (text === '' ? [] : [text]) : renderBlocks(directory, message.blocks);
  const isShown = lines.some(line => line.includes(broadcastSign));
  if (!isShown && text.includes(broadcastSign)) lines.push(`(notification) ${text}`);
  for (const attachment of message.attachments) lines.push(...renderAttachment(directory, attachment));
  return lines.join('\n');
}

/** Renders a modal or home tab as plain text: title, blocks with filled-in values, errors, buttons. */
export function renderViewText(directory: Directory, view: OpenView): string {
  const lines = view.type === 'home' ? [] : [`== ${decodeEntities(view.title)} ==`];
  if (view.failureNotice !== undefined) lines.push(`! ${view.failureNotice}`);
  for (const block of view.blocks) {
    lines.push(...renderBlock(directory, block, view.values));
    const error = view.errors[toText(block.block_id)];
    if (error !== undefined) lines.push(`! ${error}`);
  }
  if (view.type === 'modal') {
    const submit = plain(view.payload.submit);
    lines.push(
      [submit, plain(view.payload.close) || 'Cancel']
        .filter(text => text !== '')
        .map(bracket)
        .join(' '),
    );
  }
  return lines.join('\n');
}

function renderBlocks(directory: Directory, blocks: readonly JsonObject[], values: StateValues = {}): string[] {
  return blocks.flatMap(block => renderBlock(directory, block, values));
}

function renderBlock(directory: Directory, block: JsonObject, values: StateValues): string[] {
  const state = values[toText(block.block_id)] ?? {};
  const element = (item: unknown): string => renderElement(directory, item, state);
  switch (block.type) {
    case 'divider':
      return ['---'];
    case 'header':
      return [plain(block.text)];
    case 'section': {
      const fields = toObjects(block.fields).map(field => renderText(directory, field));
      const accessory = isJsonObject(block.accessory) ? [element(block.accessory)] : [];
      return [renderText(directory, block.text), ...fields, ...accessory].filter(line => line !== '');
    }
    case 'context':
      return [toObjects(block.elements).map(element).join(' ')];
    case 'actions':
      return [toObjects(block.elements).map(element).join(' ')];
    case 'input': {
      const optional = block.optional === true ? ' (optional)' : '';
      const hint = isJsonObject(block.hint) ? [`  (${plain(block.hint)})`] : [];
      return [`${plain(block.label)}${optional}: ${element(block.element)}`, ...hint];
    }
    case 'image':
      return [`(image: ${toText(block.alt_text)})`];
    case 'rich_text':
      return [renderRichText(directory, block)];
    case 'alert':
      return [`(${toText(block.level) || 'default'}) ${renderText(directory, block.text)}`];
    case 'data_table':
      return [toText(block.caption), ...renderRows(directory, block)];
    default:
      return [`(block: ${toText(block.type)})`];
  }
}

function renderRows(directory: Directory, table: JsonObject): string[] {
  return (Array.isArray(table.rows) ? table.rows : []).map((row: unknown) =>
    toObjects(row)
      .map(cell => (cell.type === 'rich_text' ? renderRichText(directory, cell) : toText(cell.text)))
      .join(' | '),
  );
}

function renderElement(directory: Directory, element: unknown, state: Record<string, JsonObject>): string {
  if (!isJsonObject(element)) return '';
  switch (element.type) {
    case 'button':
      return bracket(plain(element.text));
    case 'overflow':
      return bracket('⋯');
    case 'image':
      return `(image: ${toText(element.alt_text)})`;
    case 'mrkdwn':
    case 'plain_text':
      return renderText(directory, element);
    case 'checkboxes': {
      const chosen = chosenOptions(element, state).map(option => option.value);
      return toObjects(element.options)
        .map(option => `(${chosen.includes(option.value) ? 'x' : ' '}) ${renderText(directory, option.text)}`)
        .join(' ');
    }
    default:
      return bracket(`${renderValue(directory, element, state)}${isMenu(element) ? ' ▾' : ''}`);
  }
}

function renderValue(directory: Directory, element: JsonObject, state: Record<string, JsonObject>): string {
  const value = filledIn(state[toText(element.action_id)]) ?? initialOf(element);
  if (value === undefined) return renderPlaceholder(element);
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items
    .map(item => {
      if (isJsonObject(item)) return decodeEntities(optionText(item));
      const text = toText(item);
      if (element.type === 'users_select') return `@${directory.personName(text) ?? text}`;
      if (element.type === 'datetimepicker')
        return `${new Date(Number(text) * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
      return text;
    })
    .join(', ');
}

function initialOf(element: JsonObject): unknown {
  const member = Object.keys(element).find(key => key.startsWith('initial_'));
  return member === undefined ? undefined : element[member];
}

function chosenOptions(element: JsonObject, state: Record<string, JsonObject>): JsonObject[] {
  const held = state[toText(element.action_id)];
  const value = held === undefined ? initialOf(element) : filledIn(held);
  return Array.isArray(value) ? toObjects(value) : isJsonObject(value) ? [value] : [];
}

/** A placeholder: plain in a menu, where it says what to choose; as `‹example›` in an empty field, since it is no value. */
function renderPlaceholder(element: JsonObject): string {
  const words = plain(element.placeholder);
  return words === '' || isMenu(element) ? words : `‹${words}›`;
}

function isMenu(element: JsonObject): boolean {
  return toText(element.type).endsWith('_select');
}

function renderAttachment(directory: Directory, attachment: JsonObject): string[] {
  const texts = ['pretext', 'title', 'text'].map(member => renderMrkdwn(directory, toText(attachment[member])));
  const fields = toObjects(attachment.fields).map(
    field => `${renderMrkdwn(directory, toText(field.title))}: ${renderMrkdwn(directory, toText(field.value))}`,
  );
  const own = [...texts, ...fields].filter(line => line !== '');
  const blocks = renderBlocks(directory, toObjects(attachment.blocks));
  // Blocks alone are part of the message; only their bar has a colour, and plain text has none.
  if (own.length === 0) return blocks;
  const lines = [...own, ...blocks];
  return lines.filter(line => line !== '').map(line => line.replaceAll(/^/gm, '| '));
}

function renderText(directory: Directory, text: unknown): string {
  if (!isJsonObject(text)) return '';
  return text.type === 'mrkdwn' ? renderMrkdwn(directory, toText(text.text)) : plain(text);
}

function plain(text: unknown): string {
  return isJsonObject(text) ? decodeEntities(toText(text.text)) : '';
}

function bracket(text: string): string {
  return `[${text}]`;
}

/** Renders a `rich_text` block as plain text: bullets for list items, `> ` for quotes. */
function renderRichText(directory: Directory, block: JsonObject): string {
  return toObjects(block.elements)
    .map(part => renderPart(directory, part))
    .join('\n');
}

function renderPart(directory: Directory, part: JsonObject): string {
  if (part.type === 'rich_text_list') {
    const indent = '  '.repeat(typeof part.indent === 'number' ? part.indent : 0);
    const sign = (index: number): string => (part.style === 'ordered' ? `${index + 1}.` : '•');
    return toObjects(part.elements)
      .map((item, index) => `${indent}${sign(index)} ${renderPart(directory, item)}`)
      .join('\n');
  }
  const text = toObjects(part.elements)
    .map(element => renderInline(directory, fromRichText(element)))
    .join('');
  return part.type === 'rich_text_quote' ? text.replaceAll(/^/gm, '> ') : text;
}
