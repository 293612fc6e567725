import { readdir, readFile, readlink } from 'node:fs/promises';

/** The addresses at which a process and those that it started listen for TCP, such as `127.0.0.1:4400`. It needs Linux. */
export async function listeningSockets(pid: number): Promise<readonly string[]> {
  const own = new Set((await Promise.all((await family(pid)).map(socketsOf))).flat());
  const tables = await Promise.all(['tcp', 'tcp6'].map(name => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')));
  return tables
    .flatMap(table => table.trim().split('\n').slice(1))
    .map(row => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === listening && own.has(inode ?? ''))
    .map(([, local = '']) => toAddress(local));
}

/** TCP_LISTEN, as the table writes it. */
const listening = '0A';

/** The process and all that descend from it. */
async function family(pid: number): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const families = children
    .split(' ')
    .filter(Boolean)
    .map(child => family(Number(child)));
  return [pid, ...(await Promise.all(families)).flat()];
}

/** The inodes of the sockets that a process has open. */
async function socketsOf(pid: number): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all((await readdir(folder)).map(fd => readlink(`${folder}/${fd}`).catch(() => '')));
  return links.flatMap(link => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}

/** The kernel writes an IPv4 address as one number in the machine's byte order, which is little-endian here. */
function toAddress(local: string): string {
  const [host = '', port = ''] = local.split(':');
  const bytes = [...Buffer.from(host, 'hex')];
  const name = bytes.length === 4 ? bytes.toReversed().join('.') : host;
  return `${name}:${Number.parseInt(port, 16)}`;
}
