import { type FakeSlack, type Message, renderMessage } from '../../../src/fake-slack/fake-slack.ts';
import type { Seen } from './play.ts';

/** Units of the picture, which are pixels at its natural size. */
const width = 800;
const margin = 20;
/** Where the text of a message begins, right of the face. */
const textLeft = 72;
const textWidth = width - textLeft - margin - 8;
const lineHeight = 21;
/** Fields beside each other. */
const columns = 3;

/** A piece of the picture: SVG, and how far down it reaches. */
interface Piece {
  readonly svg: string;
  readonly bottom: number;
}

const styles = `
  text { font: 15px -apple-system, "Segoe UI", Inter, Roboto, "Helvetica Neue", Arial, sans-serif; fill: #1d1c1d; }
  .strong { font-weight: 700; }
  .title { font-size: 18px; font-weight: 700; }
  .quiet { font-size: 13px; font-weight: 400; fill: #616061; }
  .name { fill: #1264a3; }
  .face { fill: #ffffff; font-size: 17px; font-weight: 700; text-anchor: middle; }
  .label { font-size: 13px; font-weight: 700; text-anchor: middle; }
  .on { fill: #ffffff; }
  .paper { fill: #ffffff; stroke: #d6d6d6; }
  .bar { fill: #f8f8f8; }
  .rule { stroke: #e4e4e4; }
  .button { fill: #ffffff; stroke: #c4c4c4; }
  .primary { fill: #007a5a; stroke: #007a5a; }
  .private { fill: #fdf9ec; }
  @media (prefers-color-scheme: dark) {
    text { fill: #d1d2d3; }
    .quiet { fill: #9a9b9e; }
    .name { fill: #6cb6e8; }
    .face, .on { fill: #ffffff; }
    .paper { fill: #1a1d21; stroke: #3c3f44; }
    .bar { fill: #212428; }
    .rule { stroke: #33363b; }
    .button { fill: #1a1d21; stroke: #565a60; }
    .primary { fill: #007a5a; stroke: #007a5a; }
    .private { fill: #26241d; }
  }`;

const signs: Readonly<Record<string, string>> = {
  red_circle: '🔴',
  memo: '📝',
  heavy_plus_sign: '➕',
  vertical_traffic_light: '🚦',
  rotating_light: '🚨',
  white_check_mark: '✅',
  bust_in_silhouette: '👤',
};

/** Draws what one person sees of an incident: its channel, and below it where it was announced. */
export function drawPicture({ slack, room, messages, announced }: Seen): string {
  const parts: string[] = [];
  let top = 0;
  const put = (piece: Piece) => {
    parts.push(piece.svg);
    top = piece.bottom;
  };
  put(drawBar(top, `# ${room.name}`, room.topic));
  for (const message of messages) put(drawMessage(slack, message, top));
  put(drawBar(top + 14, '# incidents', ''));
  for (const message of announced) put(drawMessage(slack, message, top));
  const height = Math.ceil(top + 16);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(room.topic)}: the incident’s channel in Slack</title>`,
    `<style>${styles}</style>`,
    `<clipPath id="edge"><rect x="1" y="1" width="${width - 2}" height="${height - 2}" rx="10"/></clipPath>`,
    `<rect class="paper" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10"/>`,
    `<g clip-path="url(#edge)">`,
    ...parts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function drawBar(top: number, name: string, topic: string): Piece {
  const svg = [
    `<rect class="bar" x="0" y="${top}" width="${width}" height="48"/>`,
    `<line class="rule" x1="0" y1="${top + 48}" x2="${width}" y2="${top + 48}"/>`,
    `<text class="strong" x="${margin}" y="${top + 30}">${escaped(name)}</text>`,
    `<text class="quiet" x="${width - margin}" y="${top + 30}" text-anchor="end">${escaped(topic)}</text>`,
  ];
  return { svg: svg.join('\n'), bottom: top + 56 };
}

function drawMessage(slack: FakeSlack, message: Message, from: number): Piece {
  const top = from + 8;
  const author = message.botId === undefined ? slack.people.find(each => each.id === message.userId) : undefined;
  const name = author?.name ?? 'Muster';
  const notice = message.ephemeralTo === undefined ? (message.pinned ? '📌 Pinned' : '') : '👁 Only visible to you';
  const head = top + (notice === '' ? 0 : 20);
  const parts: string[] = [];
  if (notice !== '') parts.push(`<text class="quiet" x="${textLeft}" y="${top + 13}">${notice}</text>`);
  parts.push(
    `<rect x="${margin}" y="${head}" width="38" height="38" rx="8" fill="${author === undefined ? '#4a154b' : colourOf(name)}"/>`,
    `<text class="face" x="${margin + 19}" y="${head + 25}">${escaped(name.slice(0, 1).toUpperCase())}</text>`,
    `<text class="strong" x="${textLeft}" y="${head + 13}">${escaped(name)}<tspan class="quiet" dx="8">${author === undefined ? 'APP  ' : ''}${timeOf(message.ts)}</tspan></text>`,
  );
  let bottom = head + 18;
  for (const block of message.blocks) {
    const piece = drawBlock(text => renderMessage(slack, { ...message, text: '', blocks: [text] }), block, bottom);
    parts.push(piece.svg);
    bottom = piece.bottom;
  }
  for (const [at, { name: sign, users }] of message.reactions.entries()) {
    const left = textLeft + at * 54;
    parts.push(
      `<rect class="button" x="${left}" y="${bottom + 6}" width="46" height="24" rx="12"/>`,
      `<text class="label" x="${left + 23}" y="${bottom + 22}">${signs[sign] ?? ''} ${[...users].length}</text>`,
    );
  }
  if (message.reactions.length > 0) bottom += 32;
  bottom = Math.max(bottom, head + 40);
  const back =
    message.ephemeralTo === undefined
      ? []
      : [`<rect class="private" x="0" y="${top - 6}" width="${width}" height="${bottom - top + 14}"/>`];
  return { svg: [...back, ...parts].join('\n'), bottom: bottom + 7 };
}

type Block = Message['blocks'][number];

/** Draws one block below `top`. `toText` is what a person reads of a block. */
function drawBlock(toText: (block: Block) => string, block: Block, top: number): Piece {
  switch (block.type) {
    case 'header':
      return {
        svg: `<text class="title" x="${textLeft}" y="${top + 20}">${escaped(toText(block))}</text>`,
        bottom: top + 28,
      };
    case 'context':
      return {
        svg: `<text class="quiet" x="${textLeft}" y="${top + 18}">${marked(toText(block))}</text>`,
        bottom: top + 24,
      };
    case 'section':
      return Array.isArray(block.fields) ? drawFields(toText, block.fields, top) : drawText(toText(block), top);
    case 'actions':
      return Array.isArray(block.elements) ? drawButtons(toText, block.elements, top) : { svg: '', bottom: top };
    default:
      return drawText(toText(block), top);
  }
}

/** Fields in columns, each a bold word and what it says. */
function drawFields(toText: (block: Block) => string, fields: readonly unknown[], top: number): Piece {
  const svg = fields.map((field, at) => {
    const [label = '', ...lines] = toText({ type: 'section', text: field as Block }).split('\n');
    const x = textLeft + (at % columns) * (textWidth / columns);
    const y = top + 16 + Math.floor(at / columns) * 46;
    return [
      `<text class="strong" x="${x}" y="${y}">${marked(label)}</text>`,
      `<text x="${x}" y="${y + 20}">${marked(lines.join(' '))}</text>`,
    ].join('\n');
  });
  return { svg: svg.join('\n'), bottom: top + Math.ceil(fields.length / columns) * 46 };
}

function drawButtons(toText: (block: Block) => string, elements: readonly unknown[], top: number): Piece {
  let left = textLeft;
  const svg = elements.map(element => {
    const label = toText({ type: 'actions', elements: [element] }).replace(/^\[|\]$/g, '');
    const isPrimary = (element as { style?: unknown }).style === 'primary';
    const wide = Math.round(breadth(label, 13) + 26);
    const x = left;
    left += wide + 8;
    return [
      `<rect class="${isPrimary ? 'primary' : 'button'}" x="${x}" y="${top + 6}" width="${wide}" height="30" rx="6"/>`,
      `<text class="label${isPrimary ? ' on' : ''}" x="${x + wide / 2}" y="${top + 26}">${escaped(label)}</text>`,
    ].join('\n');
  });
  return { svg: svg.join('\n'), bottom: top + 42 };
}

function drawText(text: string, top: number): Piece {
  const lines = wrap(withSigns(text));
  const svg = lines.map((line, at) => `<text x="${textLeft}" y="${top + 16 + at * lineHeight}">${marked(line)}</text>`);
  return { svg: svg.join('\n'), bottom: top + lines.length * lineHeight + 2 };
}

/** Lines no wider than a message, as far as that can be told without the font. */
function wrap(text: string): string[] {
  return text.split('\n').flatMap(paragraph => {
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (breadth(longer, 15) <= textWidth || line === '') line = longer;
      else {
        lines.push(line);
        line = word;
      }
    }
    return [...lines, line];
  });
}

/** About how wide a text is in a font of that size. */
function breadth(text: string, size: number): number {
  const units = [...text].map(letter =>
    /[ijl.,:;'’| ]/.test(letter) ? 0.3 : /[mwMW@]|[^\p{ASCII}]/u.test(letter) ? 0.85 : 0.56,
  );
  return size * units.reduce((sum, each) => sum + each, 0);
}

/** Escaped, with emoji for their names and with names of people and channels marked. */
function marked(text: string): string {
  return escaped(withSigns(text)).replace(/[@#][a-z][\w-]*/g, name => `<tspan class="name">${name}</tspan>`);
}

function withSigns(text: string): string {
  return text.replace(/:([a-z_]+):/g, (whole, name: string) => signs[name] ?? whole);
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

function timeOf(ts: string): string {
  return new Date(Number(ts) * 1000).toISOString().slice(11, 16);
}

function colourOf(name: string): string {
  const colours = ['#1264a3', '#2b7a4b', '#b3541e', '#7a4fa3'];
  return colours[(name.codePointAt(0) ?? 0) % colours.length] ?? '#1264a3';
}
