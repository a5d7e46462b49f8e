import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../faults/bank-checks.ts'
import { freePort } from './child-host.ts'

export interface Nginx {
  readonly port: number
  /** Throws with nginx's own words when the configuration is not valid. */
  checkConfiguration(): void
  stop(): Promise<void>
}

export const nginxProgram = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'].find((path) =>
  existsSync(path),
)

/** The deployed configuration as it is, with the names of compose.yaml's services and its port replaced by those of a test. */
export async function startNginx(upstreamPorts: readonly [number, number]): Promise<Nginx> {
  const program = nginxProgram ?? ''
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'bank-nginx-'))
  const text = readFileSync(join(import.meta.dirname, '../../deploy/nginx-bank.conf'), 'utf8')
    .replace('bank-1:9999', `127.0.0.1:${upstreamPorts[0]}`)
    .replace('bank-2:9999', `127.0.0.1:${upstreamPorts[1]}`)
    .replace('listen 9999', `listen 127.0.0.1:${port}`)
    .replace('/tmp/nginx-bank.pid', join(folder, 'nginx.pid'))
    .replace('error_log stderr', `error_log ${folder}/error.log`)
    // Its own folders for temporary files: the packaged ones belong to the system's nginx.
    .replace(
      'http {',
      `http {\n${temporaryFolders.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}`,
    )
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, text)
  const server = spawn(program, ['-c', file, '-p', folder, '-g', 'daemon off;'], { stdio: 'ignore' })
  const ended = once(server, 'exit')
  await until(() => existsSync(join(folder, 'nginx.pid')), 'nginx')
  return {
    port,
    checkConfiguration: () => void execFileSync(program, ['-t', '-q', '-c', file, '-p', folder]),
    async stop() {
      server.kill('SIGQUIT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const temporaryFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
