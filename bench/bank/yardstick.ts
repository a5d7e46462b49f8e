import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

export interface Yardstick {
  readonly port: number
  readonly pids: readonly number[]
  stop(): Promise<void>
}

/** Two processes of a program behind one port, as the bank's instances are. */
export async function startYardstick(program: string, words: readonly string[]): Promise<Yardstick> {
  const port = await freePort()
  const children = [1, 2].map(() => fork(new URL(program, import.meta.url), [String(port), ...words]))
  const ended = children.map((child) =>
    once(child, 'exit').then(() => Promise.reject(new Error(`${program} ended.`))),
  )
  await Promise.race([Promise.all(children.map((child) => once(child, 'message'))), ...ended])
  return {
    port,
    pids: children.flatMap(({ pid }) => pid ?? []),
    async stop() {
      for (const child of children) child.disconnect()
      await Promise.allSettled(ended)
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}
