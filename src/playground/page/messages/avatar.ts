import { html } from 'htm/preact';
import type { VNode } from 'preact';

/** How many colours the stylesheet has for people. */
const colours = 8;

/** A person's initials on a colour of their own. */
export function Avatar({ name, isApp }: { readonly name: string; readonly isApp: boolean }): VNode {
  const initials = name
    .split(/\s+/)
    .slice(0, 2)
    .map(word => word[0]?.toUpperCase())
    .join('');
  const sum = [...name].reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0);
  return html`<span class=${isApp ? 'avatar app' : `avatar colour-${sum % colours}`} aria-hidden="true">${initials}</span>`;
}
