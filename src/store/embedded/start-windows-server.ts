import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Setup } from './choose-setup.ts'
import { findPassword } from './password.ts'
import { programIn } from './program-in.ts'
import type { Server, ServerOptions } from './start-server.ts'

/**
 * Untested: no Windows machine was at hand. PostgreSQL's own `pg_ctl` does the work, over TCP on this machine only.
 * There is no watchdog: a server left by a killed process is ended by the next start.
 */
export async function startWindowsServer(
  setup: Setup,
  { dataDirectory, settings }: ServerOptions,
): Promise<Server> {
  const { binaries, cluster } = setup
  const control = (...parameters: string[]) =>
    spawnSync(programIn(binaries, 'pg_ctl'), [...parameters, '-D', cluster, '-w'], { stdio: 'ignore' })
      .status === 0
  control('stop', '-m', 'fast')
  const port = await findFreePort()
  const all = { listen_addresses: '127.0.0.1', port, timezone: 'UTC', shared_buffers: '64MB', ...settings }
  const options = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`)
  const log = join(dataDirectory, 'postgres.log')
  if (!control('start', '-l', log, '-o', options.join(' ')))
    throw new Error(`The database did not start: see ${log}.`)
  const url = `postgresql://tracker:${findPassword(dataDirectory)}@127.0.0.1:${port}/postgres`
  const stop = async () => {
    control('stop', '-m', 'fast')
  }
  return { url, stop }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
