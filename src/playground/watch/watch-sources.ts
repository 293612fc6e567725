import { watch } from 'node:fs';
import { sep } from 'node:path';

/** How long files must be left alone, in milliseconds: an editor writes several at once. */
const quiet = 300;
/** What sources and styles are written in. */
const written = /\.(ts|css|svg)$/;

/** Calls `changed` with the paths below a folder of src/ that have changed, once nobody writes any more. Disposing ends that. */
export function watchSources(folder: string, changed: (paths: readonly string[]) => void): Disposable {
  const paths = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, { recursive: true }, (_event, file) => {
    if (file === null || !written.test(file)) return;
    paths.add(file.replaceAll(sep, '/'));
    clearTimeout(timer);
    timer = setTimeout(() => {
      const all = [...paths].toSorted();
      paths.clear();
      changed(all);
    }, quiet);
  });
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      watcher.close();
    },
  };
}
