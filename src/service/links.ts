const link = /https?:\/\/[^\s<>"']+/gi;

/** The distinct web addresses in a text, in order; punctuation that ends a sentence is not part of one (api-behaviour.md A5). */
export function findLinks(text: string): string[] {
  const found = Array.from(text.matchAll(link), match => match[0].replace(/[.,;:!?)\]]+$/, ''));
  return [...new Set(found)].filter(each => /^https?:\/\/./i.test(each));
}
