#!/usr/bin/env node
/*
 * The door of the command `muster`. It is plain JavaScript that old versions of Node can read, so that they say which one is
 * needed; src/main.ts is TypeScript, which they cannot.
 */
var needed = 26;

if (parseInt(process.versions.node, 10) < needed) {
  process.stderr.write(
    'Muster needs Node ' +
      needed +
      ' or newer; this is Node ' +
      process.versions.node +
      ' at ' +
      process.execPath +
      '.\n' +
      'Install Node ' +
      needed +
      ' (https://nodejs.org), or run `npm ci` in the folder of Muster: it brings node_modules/.bin/node, which `npm start` and `npx muster` take.\n',
  );
  process.exitCode = 1;
} else {
  import('../src/main.ts').then(main => main.run());
}
