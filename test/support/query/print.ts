import type { Node, Query } from '../../../src/service/query/ast.ts';

/** Writes a query so that it reads back as the same one. */
export function printQuery(query: Query): string {
  return query.items.map(printNode).join(' ');
}

function printNode(node: Node): string {
  switch (node.kind) {
    case 'and':
    case 'or':
      return `${node.kind}(${node.items.map(printNode).join(' ')})`;
    case 'not':
      return `not(${printNode(node.item)})`;
    case 'partial':
      return `${node.property}:${printValue(node.value)}`;
    case 'exact':
      return `${node.property}:${printValue(node.value)}`;
    case 'drill':
      return `isdrill:${node.value}`;
    case 'field':
      return `field:${printSlug(node.slug)}:${printValue(node.value)}`;
    case 'range':
      return `${node.property}:${printTime(node.from)},${printTime(node.to)}`;
    default:
      throw new Error(`the API's language has no ${node.kind}`);
  }
}

function printValue(value: string): string {
  if (!value.includes('"')) return `"${value}"`;
  if (!value.includes("'")) return `'${value}'`;
  return value;
}

function printSlug(slug: string): string {
  return /[\s:()'"]/.test(slug) ? printValue(slug) : slug;
}

function printTime(microseconds: number | undefined): string {
  if (microseconds === undefined) return '';
  const seconds = new Date(Math.floor(microseconds / 1e6) * 1000).toISOString().slice(0, 19);
  const fraction = String(((microseconds % 1e6) + 1e6) % 1e6).padStart(6, '0');
  return `${seconds}.${fraction}Z`;
}
