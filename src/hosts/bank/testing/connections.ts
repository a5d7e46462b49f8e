import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Returns how many connections to this port each process has accepted. Linux only. */
export function countAccepted(pids: readonly number[], port: number): number[] {
  const accepted = new Set(establishedSockets(port))
  return pids.map((pid) => socketsOf(pid).filter((inode) => accepted.has(inode)).length)
}

/**
 * Returns the inodes of the server's ends:
 * https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html
 */
function establishedSockets(port: number): string[] {
  const localPort = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(localPort) && state === '01')
    .map((fields) => fields[9] ?? '')
}

const socketsOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap(
    (name) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${name}`))?.[1] ?? [],
  )

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // The connection was closed in between.
    return ''
  }
}

/** Returns the processes of the bank whose parent is `pid`, whether they listen or not. */
export const instancesOf = (pid: number): number[] =>
  execFileSync('ps', ['-o', 'pid=,ppid=,args=', '-A'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('bank/instance.ts'))
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([instance = 0, parent]) => (parent === pid ? [instance] : []))
