import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const ownTree = join(import.meta.dirname, '..')

/** One host as it is deployed, in a separate process, without its limiter and its log lines; of this working copy or another. */
export const startHost = (
  name: string,
  environment: Readonly<Record<string, string>>,
  tree = ownTree,
): Promise<ChildProcess> => startHosts([name], environment, tree)

/** No name means all of them. */
export async function startHosts(
  names: readonly string[],
  environment: Readonly<Record<string, string>>,
  tree = ownTree,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(tree, 'src/cli.ts'), 'start', ...names], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, RateLimit__Rest__PermitLimit: '0', LOG_LEVEL: 'warn', ...environment },
  })
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('Ctrl-C')) break
  return child
}

export async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The process has no output to read.')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return String(line)
}

/** The first process of an embedded store. */
export const postmasterOf = (dataDirectory: string): number =>
  Number(readFileSync(join(dataDirectory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
