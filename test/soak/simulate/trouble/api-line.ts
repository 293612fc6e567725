import type { Transport, TransportResponse } from '../../../../src/client/transport.ts';
import { rpc } from '../../../../src/contract/contract.ts';
import { RpcError } from '../../../../src/contract/errors.ts';
import type { Random } from '../random.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { History } from '../witness/history.ts';
import type { ApiFault } from './faults.ts';
import type { Life } from './life.ts';

/** What the way from one replica to the API needs. */
export interface ApiLine {
  readonly name: string;
  readonly life: Life;
  readonly time: VirtualTime;
  readonly random: Random;
  readonly history: History;
  /** The API itself. */
  readonly answer: Transport;
  /** What goes wrong with the next call. */
  readonly fault: () => ApiFault | undefined;
  /** For how long the API stands still from now on, in milliseconds; 0 when it does not. */
  readonly frozenFor: () => number;
  /** Told of every pause that the API asks for, in seconds. */
  readonly onAskedPause: (seconds: number) => void;
  /** Told of every read that the API answers. */
  readonly onRead?: (request: Parameters<Transport>[0]) => void;
}

/** The client's transport into a service of the same process: it takes time, goes wrong, and ends with the replica's life. */
export function openApiLine(line: ApiLine): Transport {
  const { life, random, time } = line;
  return request =>
    life.hear(async () => {
      const method = request.path.split('/').at(-1) ?? '';
      const effect = effectOf(method);
      const fault = befalls(line.fault(), effect);
      const way = random.whole(2, 60);
      await time.pause(Math.min(way, request.timeout));
      if (way >= request.timeout) throw tooSlow(false);
      const isWrite = effect !== 'read';
      const answer = () => (isWrite ? life.write(() => line.answer(request)) : line.answer(request));
      const tell = (what: string) => {
        if (isWrite || fault) line.history.add(line.name, `API ${method}: ${what}`);
      };
      const frozenFor = line.frozenFor();
      if (frozenFor > 0) {
        tell('not answered: the API stands still');
        const hang = () => hangs(line, request, frozenFor);
        return isWrite ? life.write(hang) : hang();
      }
      tell(fault ?? 'asked');
      if (!fault) {
        const response = await answer();
        await time.pause(random.whole(1, 40));
        if (!isWrite) line.onRead?.(request);
        return response;
      }
      return go(fault, answer, line, request.timeout);
    });
}

/** What comes of a call to an API that stands still: it is carried out when the API goes on, whether or not the caller still waits. */
async function hangs(
  { answer, time }: ApiLine,
  request: Parameters<Transport>[0],
  frozenFor: number,
): Promise<TransportResponse> {
  const late = time.asNobody(() => time.pause(frozenFor).then(() => answer(request)));
  if (frozenFor < request.timeout) return late;
  late.catch(() => {});
  await time.pause(request.timeout);
  throw tooSlow(true);
}

/** What comes of a call that goes wrong. */
async function go(
  fault: ApiFault,
  answer: () => Promise<TransportResponse>,
  { random, time, onAskedPause }: ApiLine,
  timeout: number,
): Promise<TransportResponse> {
  const none = { status: 200, headers: {}, body: '' };
  switch (fault) {
    case 'refused':
      throw new RpcError('unavailable', 'The API refused the connection.', { maybeApplied: false });
    case 'unresolvable':
      throw new RpcError('unavailable', 'The API could not be found by name.', { maybeApplied: false });
    case 'stalled':
      if (random.chance(0.5)) await answer();
      await time.pause(timeout);
      throw tooSlow(true);
    case '429': {
      const seconds = random.whole(1, 30);
      onAskedPause(seconds);
      return { status: 429, headers: { 'retry-after': String(seconds) }, body: '{"error":"slow down"}' };
    }
    case '429 without Retry-After':
      return { status: 429, headers: {}, body: '{"error":"slow down"}' };
    case 'refused by the API':
      return { ...none, status: random.pick([200, 500]), body: '{"error":"the policy of this stack forbids it"}' };
    case 'made late':
      time.asNobody(() => time.pause(timeout + random.whole(1000, 38_000)).then(answer)).catch(() => {});
      await time.pause(timeout);
      throw tooSlow(true);
    case '500':
      if (random.chance(0.3)) await answer();
      return { status: 500, headers: {}, body: 'Internal Server Error' };
    case 'html':
      if (random.chance(0.3)) await answer();
      return { ...none, headers: { 'content-type': 'text/html' }, body: '<html>login</html>' };
    case 'half a body':
    case 'answer lost':
      await answer();
      throw new RpcError('unavailable', 'The API closed the connection before the answer was complete.', {
        maybeApplied: true,
      });
  }
}

function tooSlow(maybeApplied: boolean): RpcError {
  return new RpcError('deadline_exceeded', 'The API did not answer in time.', { maybeApplied });
}

function effectOf(method: string): string | undefined {
  const [group = '', name = ''] = method.split('.');
  const methods: Record<string, Record<string, { effect: string }>> = rpc;
  return methods[group]?.[name]?.effect;
}

/** The fault that befalls a call. Whoever reads is refused nothing, and a change that can be repeated does no harm late. */
function befalls(fault: ApiFault | undefined, effect: string | undefined): ApiFault | undefined {
  if (fault === 'refused by the API' && effect === 'read') return undefined;
  return fault === 'made late' && effect !== 'create' ? undefined : fault;
}
