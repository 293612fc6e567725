/** Where a server was to listen, and the setting that names its port. */
interface ListenAddress {
  readonly port: number;
  /** Absent or `""`: at all addresses. */
  readonly host?: string;
  readonly setting: string;
}

/** Why a server cannot listen, as one sentence for the person who starts it, and one on what to do. */
export function explainListen(cause: NodeJS.ErrnoException, { port, host, setting }: ListenAddress): Error {
  const { reason, remedy } = toWords(cause, setting, port);
  const place = host ? `${host}, port ${port}` : `port ${port}`;
  const message = `Muster cannot listen at ${place} (${setting}): ${reason}. ${remedy}`;
  return Object.assign(new Error(message, { cause }), { code: cause.code });
}

function toWords(cause: NodeJS.ErrnoException, setting: string, port: number): { reason: string; remedy: string } {
  switch (cause.code) {
    case 'EADDRINUSE':
      return {
        reason: 'another program listens there',
        remedy: `Stop that program, or set ${setting} to another port.`,
      };
    case 'EACCES':
    case 'EPERM':
      return port < 1024
        ? {
            reason: 'this user may not open a port below 1024',
            remedy: `Set ${setting} to a port from 1024 on, and let a proxy listen on ${port}.`,
          }
        : { reason: 'the system does not let this user', remedy: `Set ${setting} to another port.` };
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return {
        reason: 'this machine has no such address',
        remedy: 'Set HOST to an address of this machine, or leave it empty for all of them.',
      };
    default:
      return { reason: cause.message, remedy: `Set ${setting} to another port.` };
  }
}
