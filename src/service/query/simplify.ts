import type { And, Node } from './ast.ts';

/** The same query, or list of it, without what is there twice: identical items of a list are one. */
export function simplify<N extends And | (Node & { kind: 'or' })>(node: N): N {
  const items = new Map(node.items.map(each => simplifyNode(each)).map(each => [toKey(each), each]));
  return { ...node, items: [...items.values()] };
}

function simplifyNode(node: Node): Node {
  if (node.kind === 'and' || node.kind === 'or') return simplify(node);
  return node.kind === 'not' ? { ...node, item: simplifyNode(node.item) } : node;
}

/** A text that two nodes share when they say the same. */
function toKey(node: Node): string {
  return JSON.stringify(node, (name, value: unknown) => (name === 'at' ? undefined : value));
}
