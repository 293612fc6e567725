import { stripVTControlCharacters } from 'node:util';
import { playTale } from '../../playground/demo.ts';
import { patient } from './deadlines.ts';

/** Plays in process, and yields the verdict and what was printed, without colours. */
export async function play(options: Parameters<typeof playTale>[1] = {}) {
  let text = '';
  const write = (piece: string) => {
    text += piece;
  };
  const success = await playTale(write, { deadlines: patient(), ...options });
  return { success, text: stripVTControlCharacters(text) };
}
