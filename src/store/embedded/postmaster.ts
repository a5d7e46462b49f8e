import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What a running server writes about itself into its cluster. */
export interface Postmaster {
  readonly pid: number
  readonly isReady: boolean
  readonly socketDirectory: string
}

/** https://www.postgresql.org/docs/18/storage-file-layout.html: the fifth line is the folder, the eighth the state. */
export function readPostmaster(cluster: string): Postmaster | undefined {
  try {
    const lines = readFileSync(pidFileOf(cluster), 'utf8').split('\n')
    const pid = Number(lines[0])
    return pid > 0
      ? { pid, isReady: lines[7]?.trim() === 'ready', socketDirectory: lines[4] ?? '' }
      : undefined
  } catch {
    return undefined
  }
}

/** False for a zombie, which nobody reaps in many containers, and for another program that got the number. */
export function isServing(pid: number, cluster: string): boolean {
  return commandOf(pid)?.includes(`postgres -D ${cluster} `) ?? false
}

/** PostgreSQL takes any process with the number in its file for a living server, so the file must go. */
export const removePidFile = (cluster: string) => rmSync(pidFileOf(cluster), { force: true })

/** A busy session does not notice that its server was killed, and keeps the cluster from being opened. */
export const endOrphans = (clusterName: string): void =>
  void endAll((command) => command.startsWith(`postgres: ${clusterName}: `), 'SIGQUIT')

/** Programs that were making a cluster here when their start was killed, and the shells that hold them. Whether there were any. */
export const endMakers = (folder: string): boolean =>
  endAll((command) => command.includes(` -D ${folder} `), 'SIGKILL')

function endAll(isMeant: (command: string) => boolean, signal: NodeJS.Signals): boolean {
  if (process.platform !== 'linux') return false
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  const meant = pids.filter((pid) => isMeant(commandOf(pid) ?? ''))
  for (const pid of meant) send(pid, signal)
  return meant.length > 0
}

export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended in between.
  }
}

const pidFileOf = (cluster: string) => join(cluster, 'postmaster.pid')

/** The command line of a living process. */
function commandOf(pid: number): string | undefined {
  try {
    return process.platform === 'linux' ? readProcess(pid) : listProcess(pid)
  } catch {
    return undefined
  }
}

function readProcess(pid: number): string | undefined {
  const isZombie = /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return isZombie ? undefined : readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
}

function listProcess(pid: number): string | undefined {
  const line = execFileSync('ps', ['-o', 'stat=,command=', '-p', String(pid)], { encoding: 'utf8' })
  return line.startsWith('Z') ? undefined : line
}
