import { openProgram } from './program.ts';

/*
 * Runs lines of the program one after the other, in this process's folder and as its user: `node run-commands.ts <JSON: lists of
 * words>`. Prints what each said and the code with which `muster` would end, as JSON.
 */

const lines = JSON.parse(process.argv[2] ?? '[]') as readonly (readonly string[])[];
const ran = [];
for (const words of lines) {
  const { said, run } = openProgram({ ...process.env });
  try {
    await run(...words);
    ran.push({ code: said.exitCode, text: `${said.printed}${said.noted}` });
  } catch (error) {
    ran.push({ code: 1, text: `${said.printed}${said.noted}${error instanceof Error ? error.message : error}` });
  }
}
process.stdout.write(JSON.stringify(ran));
