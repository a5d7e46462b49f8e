import { deepEqual, equal, match } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { createLog } from './log.ts'

function openTestLog(isTerminal: boolean, level?: string) {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(stripVTControlCharacters(line)) }
  const log = createLog({ level, host: 'rest', destination, isTerminal })
  return { log, lines }
}

describe('the log in a terminal', () => {
  it('shows only warnings and errors, unless a level is set', () => {
    for (const [level, shown] of [
      [undefined, ['warn', 'error']],
      ['info', ['info', 'warn', 'error']],
      ['error', ['error']],
    ] as const) {
      const { log, lines } = openTestLog(true, level)
      for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name]('It happened.')
      deepEqual(
        lines.map((line) => line.split(/ +/)[1]),
        shown,
      )
    }
  })

  it('has readable lines: time, level, host, message and values', () => {
    const { log, lines } = openTestLog(true)
    log.warn({ webhook: 'w 1', tries: 3, omitted: undefined }, 'A webhook is paused.')
    match(lines[0] ?? '', /^\d\d:\d\d:\d\d warn {3}rest {6}A webhook is paused\. {2}webhook="w 1" tries=3\n$/)
  })

  it('shows the stack of an error below its line', () => {
    const { log, lines } = openTestLog(true)
    log.error({ err: new Error('Out of reach') }, 'The database failed.')
    match(lines[0] ?? '', /The database failed\.\n {4}Error: Out of reach\n {8}at .+readable-log\.test\.ts/)
  })

  it('escapes every character that a terminal would interpret', () => {
    const raw: string[] = []
    const destination = { write: (line: string) => void raw.push(line) }
    const log = createLog({ level: 'warn', destination, isTerminal: true })
    log.warn({ path: '\u009b2J', err: new Error('\u001b[2Jgone\r') }, 'It \u0007 happened.')
    // The colors of the level are added by the log itself.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are searched for.
    const text = raw.join('').replaceAll(/\n|\x1b\[\d+m/g, '')
    match(text, /It \\u0007 happened\..*\\u009b2J.*\\u001b\[2Jgone\\u000d/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may appear.
    equal(/[\x00-\x1f\x7f-\x9f]/.test(text), false)
  })
})

const program = `
  const { createLog } = await import(${JSON.stringify(import.meta.resolve('./log.ts'))})
  const log = createLog({ level: undefined, host: 'rest' })
  for (const name of ['info', 'warn']) log[name]('It happened.')`
const pseudoTerminal = '/usr/bin/script'

describe('the log of a process', () => {
  it('is JSON, from the level info on, if the output is not a terminal', () => {
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program])
    const lines = stdout.toString().trim().split('\n')
    deepEqual(
      lines.map((line) => JSON.parse(line)).map(({ level, host, msg }) => [level, host, msg]),
      [
        [30, 'rest', 'It happened.'],
        [40, 'rest', 'It happened.'],
      ],
    )
  })

  it('is readable text if the output is a terminal', (t) => {
    if (process.platform !== 'linux' || !existsSync(pseudoTerminal)) return t.skip('it needs script(1)')
    const command = '"$NODE" --input-type=module --eval "$PROGRAM"'
    const { stdout } = spawnSync(pseudoTerminal, ['-qec', command, '/dev/null'], {
      env: { ...process.env, NODE: process.execPath, PROGRAM: program },
    })
    const text = stripVTControlCharacters(stdout.toString())
    match(text, /^\d\d:\d\d:\d\d warn +rest +It happened\.\r\n$/)
  })
})
