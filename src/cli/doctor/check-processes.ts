import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { StoreSettings } from '../../configuration/store-settings.ts'
import { type Finding, fine, wrong } from './finding.ts'

interface Process {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** Processes that go on although the program that started them has ended. */
export function checkProcesses({ dataDirectory, databaseUrl }: StoreSettings): readonly Finding[] {
  if (process.platform !== 'linux') return []
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger).flatMap(readProcess)
  const orphans = [
    ...orphanedInstances(all),
    ...(databaseUrl === undefined ? orphanedServer(all, dataDirectory) : []),
  ]
  if (orphans.length === 0) return [fine('processes', 'none has lost the one that started it')]
  return orphans.map(({ pid, command }) =>
    wrong('processes', `${pid} is orphaned: ${command.slice(0, 120)}`, `kill ${pid}`),
  )
}

const instanceProgram = join(import.meta.dirname, '..', '..', 'hosts', 'bank', 'instance.ts')

/** A process whose parent has ended gets process 1 as its parent, or one that adopts such processes. */
function orphanedInstances(all: readonly Process[]): readonly Process[] {
  const starters = new Set(all.filter(({ command }) => / \S*cli\.ts\b/.test(command)).map(({ pid }) => pid))
  return all.filter(({ command, parent }) => command.includes(instanceProgram) && !starters.has(parent))
}

function orphanedServer(all: readonly Process[], dataDirectory: string): readonly Process[] {
  const cluster = join(dataDirectory, 'postgres')
  if (!existsSync(cluster)) return []
  const path = realpathSync(cluster)
  const owner = ownerOf(dataDirectory)
  if (all.some(({ pid }) => pid === owner)) return []
  return all.filter(
    ({ command }) => command.includes(`postgres -D ${path} `) && !command.startsWith('/bin/sh'),
  )
}

function ownerOf(dataDirectory: string): number {
  try {
    return Number(readFileSync(join(dataDirectory, 'postgres.owner'), 'utf8'))
  } catch {
    return 0
  }
}

function readProcess(pid: number): Process[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return [{ pid, parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]), command }]
  } catch {
    return []
  }
}
