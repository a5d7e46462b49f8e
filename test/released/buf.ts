import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

const bufBin = createRequire(import.meta.url).resolve('@bufbuild/buf/bin/buf')

/** Runs buf as its package brings it; nothing is downloaded. */
export function buf(words: readonly string[], cwd: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bufBin, ...words], {
    cwd,
    encoding: 'utf8',
    timeout: bufMilliseconds,
  })
  return { hasPassed: status === 0, output: `${stdout}${stderr}` }
}

const bufMilliseconds = 60_000

/** The strictest rules buf has: also a moved message or another order of packages would break generated code. */
const breakingConfiguration = JSON.stringify({ version: 'v2', breaking: { use: ['FILE'] } })

/** What `buf breaking` finds between two folders of .proto files. */
export const bufBreaking = (current: string, released: string) =>
  buf(['breaking', current, '--against', released, '--config', breakingConfiguration], current)
