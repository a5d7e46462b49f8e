import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

export interface OneCallBank {
  readonly port: number
  readonly pids: readonly number[]
  stop(): Promise<void>
}

/** The yardstick: the same server, one call of the same function for each request, ten connections for each instance. */
export async function startOneCallBank(url: string): Promise<OneCallBank> {
  const port = await freePort()
  const program = new URL('./one-call-instance.ts', import.meta.url)
  const children = [1, 2].map(() => fork(program, [url, String(port)]))
  const ended = children.map((child) =>
    once(child, 'exit').then(() => Promise.reject(new Error('An instance of the yardstick ended.'))),
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
