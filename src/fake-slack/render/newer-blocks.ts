import { isJsonObject, type JsonObject, toObject, toObjects, toText } from '../protocol/json.ts';
import type { Directory } from './directory.ts';
import { renderRichText } from './rich-text.ts';

/** How what stands inside a block is rendered. */
export interface InnerRendering {
  readonly blocks: (blocks: readonly JsonObject[]) => string[];
  readonly element: (element: unknown) => string;
  readonly text: (text: unknown) => string;
}

const taskSigns: Readonly<Record<string, string>> = { pending: ' ', in_progress: '…', complete: 'x', error: '!' };

/** Renders the blocks of docs/slack.md 12 as plain text. A block that is not known is named, since its reader misses something. */
export function renderNewerBlock(directory: Directory, block: JsonObject, inner: InnerRendering): string[] {
  const rich = (text: unknown): string[] => (isJsonObject(text) ? [renderRichText(directory, text)] : []);
  switch (block.type) {
    case 'alert':
      return [`(${toText(block.level) || 'default'}) ${inner.text(block.text)}`];
    case 'card':
      return renderCard(block, inner);
    case 'carousel':
      return inner.blocks(toObjects(block.elements));
    case 'container': {
      const head = [...rich(block.rich_text_title), inner.text(block.title), inner.text(block.subtitle)];
      const body = inner.blocks(toObjects(block.child_blocks)).map(line => line.replaceAll(/^/gm, '| '));
      return [...head.filter(line => line !== ''), ...body];
    }
    case 'context_actions':
      return [toObjects(block.elements).map(renderContextAction).join(' ')];
    case 'table':
      return renderRows(directory, block);
    case 'data_table':
      return [toText(block.caption), ...renderRows(directory, block)];
    case 'data_visualization':
      return [`(chart: ${toText(block.title)})`, ...renderFigures(toObject(block.chart))];
    case 'plan':
      return [toText(block.title), ...inner.blocks(toObjects(block.tasks))];
    case 'task_card':
      return [
        `(${taskSigns[toText(block.status)] ?? '?'}) ${toText(block.title)}`,
        ...[...rich(block.details), ...rich(block.output)].map(line => line.replaceAll(/^/gm, '    ')),
        ...toObjects(block.sources).map(source => `    ${toText(source.text)} (${toText(source.url)})`),
      ];
    case 'video':
      return [`(video: ${inner.text(block.title)} ${toText(block.video_url)})`];
    case 'file':
      return [`(file: ${toText(block.external_id)})`];
    default:
      return [`(block: ${toText(block.type)})`];
  }
}

function renderCard(card: JsonObject, inner: InnerRendering): string[] {
  const pictures = [card.hero_image, card.icon].filter(isJsonObject).map(inner.element);
  const words = [card.title, card.subtitle, card.body].map(inner.text);
  const buttons = toObjects(card.actions).map(inner.element).join(' ');
  return [...pictures, ...words, buttons].filter(line => line !== '');
}

function renderContextAction(element: JsonObject): string {
  const names = [element.text, toObject(element.positive_button).text, toObject(element.negative_button).text];
  return names
    .filter(isJsonObject)
    .map(name => `[${toText(name.text)}]`)
    .join(' ');
}

function renderRows(directory: Directory, block: JsonObject): string[] {
  return (Array.isArray(block.rows) ? block.rows : []).map((row: unknown) =>
    toObjects(row)
      .map(cell => (cell.type === 'rich_text' ? renderRichText(directory, cell) : toText(cell.text)))
      .join(' | '),
  );
}

function renderFigures(chart: JsonObject): string[] {
  const points = (list: unknown): string =>
    toObjects(list)
      .map(point => `${toText(point.label)} ${toText(point.value)}`)
      .join(', ');
  if (chart.type === 'pie') return [points(chart.segments)];
  return toObjects(chart.series).map(series => `${toText(series.name)}: ${points(series.data)}`);
}
