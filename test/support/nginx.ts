import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { freePort } from './child-host.ts'
import { disposable } from './fixture.ts'
import { until } from './until.ts'

export interface Nginx extends AsyncDisposable {
  readonly port: number
  /** Throws with the message of nginx if the configuration is invalid. */
  checkConfiguration(): void
  stop(): Promise<void>
}

export const nginxProgram = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'].find((path) =>
  existsSync(path),
)

/**
 * Starts nginx with the deployed configuration of the bank. Only the service names of compose.yaml and the
 * port are replaced by addresses of the test.
 */
export async function startNginx(upstreamPorts: readonly [number, number]): Promise<Nginx> {
  const port = await freePort()
  const { checkConfiguration, stop } = await startNginxOn('nginx-bank.conf', (text) =>
    text
      .replace('bank-1:9999', `127.0.0.1:${upstreamPorts[0]}`)
      .replace('bank-2:9999', `127.0.0.1:${upstreamPorts[1]}`)
      .replace('listen 9999', `listen 127.0.0.1:${port}`),
  )
  return disposable<Nginx>({ port, checkConfiguration, stop })
}

const deployed = join(import.meta.dirname, '..', '..', 'deploy')

/** Starts nginx with a file of `deploy/` and the files next to it. `adapt` replaces the addresses. */
export async function startNginxOn(
  name: string,
  adapt: (text: string) => string,
): Promise<Omit<Nginx, 'port'>> {
  const program = nginxProgram ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'))
  const source = dirname(join(deployed, name))
  for (const configuration of readdirSync(source).filter((entry) => entry.endsWith('.conf'))) {
    const text = readFileSync(join(source, configuration), 'utf8')
      .replaceAll('/tmp/', `${folder}/`)
      .replace('error_log stderr', `error_log ${folder}/error.log`)
    writeFileSync(join(folder, configuration), adapt(text))
  }
  const file = join(folder, basename(name))
  const server = spawn(program, ['-c', file, '-p', folder, '-g', 'daemon off;'], { stdio: 'ignore' })
  const ended = once(server, 'exit')
  const isUp = () => {
    if (server.exitCode !== null) throw new Error(readFileSync(join(folder, 'error.log'), 'utf8'))
    return readdirSync(folder).some((entry) => entry.endsWith('.pid'))
  }
  await until(isUp, 'nginx')
  return disposable<Omit<Nginx, 'port'>>({
    checkConfiguration: () => void execFileSync(program, ['-t', '-q', '-c', file, '-p', folder]),
    async stop() {
      server.kill('SIGQUIT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  })
}
