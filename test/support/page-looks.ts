import { constants, inflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

/*
 * What a reader would complain of in a page as the browser shows it. Each function runs in the page, and gives a line for each fault.
 */

/**
 * Words of at most 24 letters that are broken in their middle although a line has room for them. Longer ones, addresses and names of code
 * may break anywhere.
 */
export function findTornWords(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const torn = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const holder = node.parentElement;
      if (!holder || holder.closest('code, pre, svg') || !holder.checkVisibility()) continue;
      // For readers who do not see.
      if (getComputedStyle(holder).clipPath !== 'none') continue;
      for (const { 0: word, index } of node.data.matchAll(/\\S+/g)) {
        if (word.length > 24 || !/^[\\p{L}\\p{N}.,:;!?…’()]+$/u.test(word) || /[a-z][A-Z]/.test(word)) continue;
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const tops = new Set([...range.getClientRects()].filter(box => box.width > 0).map(box => Math.round(box.top)));
        if (tops.size > 1) torn.add(word);
      }
    }
    return [...torn];
  })()`);
}

/**
 * Shapes and words that say something and are hard to see: the fill or stroke of a picture’s marks and the edge of a field, whose contrast
 * to what lies behind them must be 3 (WCAG 2.2, 1.4.11), and the words of a picture and of an empty field, which need 4.5 (1.4.3). Marks with
 * the class "aid" (grid lines) only help the eye.
 */
export function findFaintShapes(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const toRgba = colour => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = rgb => {
      const [r, g, b] = rgb.slice(0, 3).map(each => (each /= 255) <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const over = (top, below, alpha = top[3] / 255) => [0, 1, 2].map(i => top[i] * alpha + below[i] * (1 - alpha));
    const contrast = (one, other) => {
      const [a, b] = [luminance(one), luminance(other)].sort((x, y) => y - x);
      return (a + 0.05) / (b + 0.05);
    };
    const behind = element => {
      for (let each = element.parentElement; each; each = each.parentElement) {
        const colour = toRgba(getComputedStyle(each).backgroundColor);
        if (colour[3] === 255) return colour;
      }
      return toRgba(getComputedStyle(document.body).backgroundColor);
    };
    const faint = new Map();
    // One of its colours is enough: a ring is seen by its edge.
    const judge = (element, colours) => {
      const below = behind(element);
      const ratios = colours
        .map(([colour, opacity]) => [toRgba(colour), opacity])
        .filter(([rgba]) => rgba[3] > 0)
        .map(([rgba, opacity]) => contrast(over(rgba, below, (rgba[3] / 255) * opacity), below));
      const ratio = Math.max(...ratios);
      if (ratios.length > 0 && ratio < 2.995) faint.set(element.tagName + '.' + (element.getAttribute('class') ?? ''), ratio.toFixed(2));
    };
    for (const shape of document.querySelectorAll('main svg :is(rect, path, line, circle)')) {
      if (shape.closest('.aid, [aria-hidden="true"].dot, defs') || !shape.checkVisibility()) continue;
      const style = getComputedStyle(shape);
      const opacity = Number(style.opacity);
      const isFilled = style.fill !== 'none' && !style.fill.startsWith('url') && shape.tagName !== 'line';
      judge(shape, [
        ...(isFilled ? [[style.fill, opacity * Number(style.fillOpacity)]] : []),
        ...(style.stroke === 'none' ? [] : [[style.stroke, opacity * Number(style.strokeOpacity)]]),
      ]);
    }
    for (const field of document.querySelectorAll('main :is(input:not([type="hidden"]), .box)'))
      if (field.checkVisibility()) judge(field, [[getComputedStyle(field).borderTopColor, 1]]);
    const judgeWords = (name, colour, below) => {
      const ratio = contrast(over(toRgba(colour), below), below);
      if (ratio < 4.495) faint.set('words of ' + name, ratio.toFixed(2));
    };
    const bars = [...document.querySelectorAll('main svg :is(.phase, .band):not(.over)')].map(bar => [bar, bar.getBoundingClientRect()]);
    for (const words of document.querySelectorAll('main svg text')) {
      if (!words.checkVisibility()) continue;
      const box = words.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const bar = bars.find(([, { left, right, top, bottom }]) => left <= x && x <= right && top <= y && y <= bottom)?.[0];
      judgeWords(words.textContent, getComputedStyle(words).fill, bar ? toRgba(getComputedStyle(bar).fill) : behind(words));
    }
    for (const field of document.querySelectorAll('main input[placeholder]')) {
      const { color, opacity } = getComputedStyle(field, '::placeholder');
      judgeWords('an empty field', opacity === '1' ? color : 'transparent', toRgba(getComputedStyle(field).backgroundColor));
    }
    return [...faint].map(([name, ratio]) => name + ' ' + ratio);
  })()`);
}

/**
 * The pieces of text that Chromium draws on each sheet of a PDF, as the numbers of their letters in its fonts: equal pieces read alike. The
 * numbers of sheets and the foot are among them.
 */
export function readSheets(pdf: Buffer): string[][] {
  const text = pdf.toString('latin1');
  const streams = [...text.matchAll(/\/Filter \/FlateDecode[^>]*>>\s*stream\r?\n([\s\S]*?)\r?\nendstream/g)];
  return streams
    .map(([, body = '']) =>
      inflateSync(Buffer.from(body, 'latin1'), { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1'),
    )
    .filter(content => content.includes('\nBT\n'))
    .map(content =>
      content
        .split('\nBT\n')
        .slice(1)
        .map(piece => [...(piece.split('\nET')[0] ?? '').matchAll(/<([0-9A-F]+)> Tj/g)].map(each => each[1]).join('')),
    );
}

/** What one presses and what is less than 24 pixels high (WCAG 2.2, 2.5.8), but for links in sentences. */
export function findSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll('summary, button, input:not([type=hidden]), .bar a, .switch a, .ways a, .pager a, .trail a, .who a')]
      .filter(each => each.checkVisibility() && each.getBoundingClientRect().height < 23.99).map(each => each.outerHTML)`,
  );
}

/** How far the page has moved under its reader’s eyes since it came: Chromium’s cumulative layout shift. */
export function findShift(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise(resolve => {
    let sum = 0;
    new PerformanceObserver(list => {
      for (const each of list.getEntries()) if (!each.hadRecentInput) sum += each.value;
    }).observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
  })`);
}
