import { watch } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How long files must be left alone, in milliseconds: an editor writes several at once. */
const quiet = 300;
/** Folders of src/ that the bot does not load. */
const foreign = ['playground', 'fake-slack', 'conformance', 'service'];

/** Calls `changed` when a file that the bot is made of has changed. Disposing ends that. */
export function watchSources(
  changed: () => void,
  folder: string = fileURLToPath(new URL('../../', import.meta.url)),
): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, { recursive: true }, (_event, file) => {
    if (file === null || !file.endsWith('.ts') || foreign.includes(file.split(sep)[0] ?? '')) return;
    clearTimeout(timer);
    timer = setTimeout(changed, quiet);
  });
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      watcher.close();
    },
  };
}
