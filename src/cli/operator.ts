import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { createLog } from '../http/log.ts'
import type { Caller } from '../model/caller.ts'
import { createSecurityLog, type SecurityLog } from '../observability/security-log.ts'
import { UsageError } from './usage.ts'

/** Relates the entries of one command in the history and the log, as the id of a request does. */
const runId = randomUUID()

/**
 * Returns the operator of the command line as a caller. Operators have no account, so the history shows the
 * changed account as the author, with the client id `command line`. No other client can have this id, because it
 * contains a space.
 */
export const operatorOf = (accountId: string): Caller => ({
  id: accountId,
  isAdministrator: true,
  origin: { address: hostname(), requestId: runId, clientId: 'command line' },
})

/** Logs to standard error, because standard output is for the result of the command. */
export const openSecurityLog = (): SecurityLog =>
  createSecurityLog(
    createLog({
      level: 'info',
      host: 'cli',
      destination: process.stderr,
      isTerminal: process.stderr.isTTY === true,
    }),
  )

/** Asks the user to confirm the effect of a command. A script has no terminal, so it has to pass `--yes`. */
export async function confirm(effect: string, { yes }: { readonly yes: boolean }): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY)
    throw new UsageError(`${effect} Without a terminal to confirm it, --yes is required.`)
  const answer = await ask(`${effect} Continue? [y/N] `, { echo: true })
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('Nothing was changed.')
}

/**
 * Reads a new password, in a terminal twice and without echo. No command accepts a password as an argument,
 * because other users of the machine can see arguments.
 */
export async function readNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) return readFirstLine()
  const password = await ask('New password: ', { echo: false })
  if ((await ask('Repeat it: ', { echo: false })) !== password)
    throw new Error('The two passwords differ. Nothing was changed.')
  return password
}

/** Far more than any password. The limit protects against an endless input, such as /dev/zero. */
const inputCharactersMax = 64 * 1024

async function readFirstLine(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.includes('\n') || text.length > inputCharactersMax) break
  }
  const [line = ''] = text.split(/\r?\n/, 1)
  if (line === '')
    throw new UsageError('There is no password: type it in a terminal, pipe it in, or use --link.')
  return line
}

/** Asks on standard error, because standard output is for the result. */
async function ask(question: string, { echo }: { readonly echo: boolean }): Promise<string> {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({
    input: process.stdin,
    output: echo ? process.stderr : discard,
    // Makes readline turn off the terminal's own echo, before the question is printed.
    terminal: true,
  })
  if (echo) {
    // Readline repeats its prompt whenever it draws the line again, such as after Backspace.
    lines.setPrompt(question)
    lines.prompt()
  } else process.stderr.write(question)
  try {
    return await new Promise((resolve, reject) => {
      lines.once('line', resolve)
      lines.once('SIGINT', () => reject(new Error('Nothing was changed.')))
      lines.once('close', () => reject(new Error('Nothing was changed.')))
    })
  } finally {
    lines.close()
    if (!echo) process.stderr.write('\n')
  }
}
