import { Command } from 'commander';
import type { Host } from '../../src/commands/command.ts';
import { registerCommands } from '../../src/commands/commands.ts';
import { patient } from './deadlines.ts';

/** `muster`, in this process. What it prints, help too, is kept; a parse error throws. */
export function openProgram(environment: Host['environment'] = {}, deadlines = patient()) {
  const { host, said, create } = openProcess(environment, deadlines);
  const run = async (...args: readonly string[]) =>
    (await registerCommands(create(), host, args)).parseAsync(args, { from: 'user' });
  return { said, run };
}

/** Runs a line of `muster`, and resolves to what it prints, notes, and refuses with; `""` for nothing. */
export async function outcomeOf(environment: Host['environment'], ...words: readonly string[]) {
  const { said, run } = openProgram(environment);
  let refused = '';
  try {
    await run(...words);
  } catch (error) {
    refused = error instanceof Error ? error.message : String(error);
  }
  return { out: said.printed, note: said.noted, refused };
}

/** `muster` with all its subcommands, for those who read its help. */
export async function openWholeProgram(): Promise<Command> {
  const { host, create } = openProcess();
  return registerCommands(create(), host, []);
}

/** Another command line than that of `muster`, in this process. */
export function openCommandLine(register: (program: Command, host: Host) => Command) {
  const { host, said, create } = openProcess();
  const program = register(create(), host);
  return { program, said, run: (...args: readonly string[]) => program.parseAsync(args, { from: 'user' }) };
}

function openProcess(environment: Host['environment'] = {}, deadlines = patient()) {
  const said = { printed: '', noted: '', exitCode: 0 };
  const print = (text: string) => {
    said.printed += text;
  };
  const note = (text: string) => {
    said.noted += text;
  };
  const create = () => new Command('muster').exitOverride().configureOutput({ writeOut: print, writeErr: note });
  const host: Host = {
    environment,
    deadlines,
    terminal: { print, note },
    onUncaught: () => undefined,
    runUntilStopped: async start => (await start(new AbortController().signal))[Symbol.asyncDispose](),
    abortOnInterrupt: () => new AbortController().signal,
    setExitCode: code => {
      said.exitCode = code;
    },
  };
  return { host, said, create };
}

/** The commands of a command that its help shows, without the one that prints help. */
export function shownCommands(command: Command): readonly Command[] {
  const shown = command.createHelp().visibleCommands(command);
  return command.commands.filter(each => shown.includes(each));
}

/** A command and all below it that help shows. */
export function allCommands(command: Command): readonly Command[] {
  return [command, ...shownCommands(command).flatMap(allCommands)];
}

/** How a command is called, `muster tokens create`. */
export function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

/** The help of a command as it is printed, its example included. */
export function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    ...command.configureOutput(),
    writeOut: piece => {
      text += piece;
    },
  });
  command.outputHelp();
  return text;
}

/** The lines of a command's example. */
export function examplesOf(command: Command): readonly string[] {
  const [, section = ''] = helpOf(command).split('\nExample:\n');
  return section
    .trim()
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
}
