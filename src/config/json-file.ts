import { readFileSync } from 'node:fs';

/** Reads the JSON file that a setting names. A problem is a sentence that names the setting and the file. */
export function readJsonFile(
  setting: string,
  file: string,
): { readonly value: unknown } | { readonly problem: string; readonly cause: unknown } {
  try {
    return { value: JSON.parse(readFileSync(file, 'utf8')) };
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read';
    return { problem: `${setting}: ${file} cannot be used: ${reason}.`, cause };
  }
}
