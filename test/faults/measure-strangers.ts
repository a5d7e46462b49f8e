import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/child-host.ts'
import {
  type AttackedHosts,
  commandAttacks,
  httpAttacks,
  type Measured,
  startAttackedHosts,
  startReconnecting,
} from './attacked-hosts.ts'

/**
 * Run this manually: `node test/faults/measure-strangers.ts [seconds] [connections at once] [part of a
 * kind]`. For each attack, it measures reads of another account before, during and after the attack. It also
 * measures them during the same attack on a process that only listens, which shows the cost of the attacker
 * itself.
 */
const [seconds = '60', atOnce = '16', partOfKind = ''] = process.argv.slice(2)

const warmMilliseconds = 2000
const quietMilliseconds = 5000
const recoveryMilliseconds = 10_000

const attacks = [
  ...Object.keys(commandAttacks).map((kind) => ({ port: 'commands' as const, kind })),
  ...(['rest', 'identity', 'web', 'bank'] as const).flatMap((port) =>
    Object.keys(httpAttacks).map((kind) => ({ port, kind })),
  ),
].filter(({ port, kind }) => `${port} ${kind}`.includes(partOfKind))

const folder = mkdtempSync(join(tmpdir(), 'tracker-strangers-'))
const print = (cells: readonly unknown[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`)

const listenerPort = await freePort()
const listener = spawn(process.execPath, [
  '-e',
  `require('net').createServer((socket) => socket.on('error', () => {}).resume()).listen(${listenerPort}, '127.0.0.1')`,
])
print([
  'port',
  'kind',
  'quiet',
  'listener',
  'attack',
  'after',
  'ratio',
  'MB quiet',
  'most',
  'after',
  'load',
  'attacker',
])
print(new Array(12).fill('---'))
try {
  for (const { port, kind } of attacks) {
    const hosts = await startAttackedHosts({ DATA_DIR: folder, RateLimit__Rest__PermitLimit: '300' })
    try {
      print(await measure(hosts, port, kind))
    } finally {
      await hosts.stop()
    }
  }
} finally {
  listener.kill()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(hosts: AttackedHosts, port: keyof AttackedHosts['ports'], kind: string) {
  await hosts.measureReads(warmMilliseconds)
  const quiet = await hosts.measureReads(quietMilliseconds)
  const attackElsewhere = await measureUnderAttack(hosts, listenerPort, {
    kind,
    milliseconds: quietMilliseconds,
  })
  const under = await measureUnderAttack(hosts, hosts.ports[port], {
    kind,
    milliseconds: Number(seconds) * 1000,
  })
  const load = loadavg()[0]?.toFixed(1)
  await sleep(recoveryMilliseconds)
  const after = await hosts.measureReads(quietMilliseconds)
  const ratio = `${(under.p50 / quiet.p50).toFixed(1)}, ${(under.p99 / quiet.p99).toFixed(1)}`
  const times = [quiet, attackElsewhere, under, after].map(
    ({ p50, p99 }) => `${p50.toFixed(1)}, ${p99.toFixed(1)}`,
  )
  const memory = [quiet.megabytes, under.megabytes, after.megabytes]
  return [port, kind, ...times, ratio, ...memory, load, under.report]
}

async function measureUnderAttack(
  hosts: AttackedHosts,
  port: number,
  { kind, milliseconds }: { kind: string; milliseconds: number },
): Promise<Measured & { report: string }> {
  const attacker = startReconnecting(`127.0.0.1:${port}`, kind, Number(atOnce))
  const measured = await hosts.measureReads(milliseconds)
  const report = attacker.report()
  attacker.end()
  return { ...measured, report }
}
