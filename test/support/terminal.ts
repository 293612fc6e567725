/** A terminal that keeps what a command prints and notes. */
function openTerminal() {
  const said = { out: '', note: '' };
  return {
    said,
    print: (text: string) => {
      said.out += text;
    },
    note: (text: string) => {
      said.note += text;
    },
  };
}

/** Runs an action of a command, and returns what it prints, notes, and refuses with; `""` for nothing. */
export async function keepSaid(
  act: (terminal: ReturnType<typeof openTerminal>) => Promise<void>,
): Promise<{ readonly out: string; readonly note: string; readonly refused: string }> {
  const terminal = openTerminal();
  let refused = '';
  try {
    await act(terminal);
  } catch (error) {
    refused = error instanceof Error ? error.message : String(error);
  }
  return { ...terminal.said, refused };
}
