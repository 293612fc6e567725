import type { Page } from 'playwright-core';

/** Short words of a page that are torn over two lines, each with what stands around it. Longer ones have to break somewhere. */
export function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const torn = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const box = node.parentElement.getBoundingClientRect();
      if (box.width <= 1 || !node.parentElement.checkVisibility({ visibilityProperty: true })) continue;
      for (const { index, 0: word } of node.data.matchAll(/(?<![^\\s(“])[\\p{L}\\p{N}]{2,14}(?![^\\s).,:;”!?])/gu)) {
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const tops = [...range.getClientRects()].filter(each => each.width > 0).map(each => each.top);
        if (Math.max(...tops) - Math.min(...tops) > 4) torn.push(word + ' in ' + node.parentElement.outerHTML.slice(0, 120));
      }
    }
    return torn;
  })()`);
}
