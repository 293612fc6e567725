import { stripVTControlCharacters } from 'node:util';
import { playTale } from '../../src/playground/demo.ts';

/** Plays in process, and yields the verdict and what was printed, without colours. */
export async function play(options: Parameters<typeof playTale>[1] = {}) {
  let text = '';
  const success = await playTale(piece => {
    text += piece;
  }, options);
  return { success, text: stripVTControlCharacters(text) };
}
