import { afterEach, expect, test, vi } from 'vitest';
import { followDrafts, putBack, readDraft, writeDraft } from '../../../../playground/page/compose/drafts.ts';

afterEach(() => vi.unstubAllGlobals());

/** A tab's storage. */
function openTab(): Map<string, string> {
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  });
  return kept;
}

test('a draft is kept by place, for the page that is loaded next, and goes when it is sent', () => {
  const kept = openTab();
  writeDraft('alice C1', 'half a thought');
  writeDraft('bob C1', 'another');
  expect([readDraft('alice C1'), readDraft('bob C1'), readDraft('alice C2')]).toEqual([
    'half a thought',
    'another',
    '',
  ]);
  expect([...kept.values()]).toEqual(['half a thought', 'another']);
  writeDraft('alice C1', '');
  expect([readDraft('alice C1'), kept.size]).toEqual(['', 1]);
  // A page that begins has nothing in memory yet.
  kept.set('muster-draft carol C1', 'from before');
  expect(readDraft('carol C1')).toBe('from before');
});

test('words that were refused come back before what has been typed since, and whoever follows hears of it', () => {
  openTab();
  let heard = 0;
  const end = followDrafts(() => {
    heard += 1;
  });
  writeDraft('alice C3', 'typed on');
  putBack('alice C3', 'refused');
  expect(readDraft('alice C3')).toBe('refused\ntyped on');
  putBack('alice C4', 'alone');
  expect([readDraft('alice C4'), heard]).toEqual(['alone', 3]);
  end();
  writeDraft('alice C4', '');
  expect(heard).toBe(3);
});

test('a browser that keeps nothing loses no word while the page is open', () => {
  vi.stubGlobal('sessionStorage', {
    getItem: () => {
      throw new Error('SecurityError');
    },
    setItem: () => {
      throw new Error('QuotaExceededError');
    },
  });
  writeDraft('alice C5', 'words');
  expect([readDraft('alice C5'), readDraft('alice C6')]).toEqual(['words', '']);
});
