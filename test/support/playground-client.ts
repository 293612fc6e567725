import type { Act, MessagePage, Told, WorkspaceView } from '../../playground/workspace/protocol.ts';

/** A playground's page as alice's, without a browser. */
export interface PlaygroundClient {
  act(act: Act): Promise<unknown>;
  /** The workspace as alice sees it. */
  look(): Promise<WorkspaceView>;
  /** What people said in a channel. */
  read(channel: string): Promise<readonly string[]>;
  /** Calls `hear` with each thing that the page is told. Resolves when the connection ends. */
  follow(hear: (told: Told) => void): Promise<void>;
}

/** Speaks with the playground at an address. */
export function openPlaygroundClient(url: string): PlaygroundClient {
  async function* listen(): AsyncGenerator<Told> {
    const response = await fetch(`${url}/events?as=alice`);
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = `${text}${chunk}`.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = /^data: (.+)$/m.exec(event)?.[1];
        if (data !== undefined) yield JSON.parse(data);
      }
    }
  }
  return {
    act: async act => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ as: 'alice', act });
      return await (await fetch(`${url}/acts`, { method: 'POST', headers, body })).json();
    },
    look: async () => {
      for await (const told of listen()) if (told.kind === 'workspace') return told.workspace;
      throw new Error('The playground told nothing.');
    },
    read: async channel => {
      const response = await fetch(`${url}/messages?${new URLSearchParams({ as: 'alice', channel })}`);
      const { messages } = (await response.json()) as MessagePage;
      return messages.filter(each => !each.isNotice).map(each => each.text);
    },
    follow: async hear => {
      for await (const told of listen()) hear(told);
    },
  };
}
