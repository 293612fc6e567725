/** Where a command writes: `print` what was asked for, which scripts read; `note` what only people want to know. */
export interface Terminal {
  print(text: string): void;
  note(text: string): void;
}

/** What a command gets of the process that runs it; main.ts is the one that gives it. */
export interface Host {
  /** Its variables; before a command runs, the secrets that stand in files are added. */
  readonly environment: Record<string, string | undefined>;
  readonly terminal: Terminal;
  /**
   * Starts something, and disposes of it when SIGTERM, SIGINT or SIGHUP arrives. While it starts, the signal that it gets tells it so:
   * then it may throw, and the process ends well.
   */
  runUntilStopped(start: (stopping: AbortSignal) => Promise<AsyncDisposable>): Promise<void>;
  /** Reports an error that nothing caught; then the process ends with code 1, so that its supervisor starts it again. */
  onUncaught(report: (error: unknown) => void): void;
  /** A signal that SIGINT aborts; from now on SIGINT does not end the process. */
  abortOnInterrupt(): AbortSignal;
  /** The exit code of the process when it ends well otherwise. */
  setExitCode(code: number): void;
}
