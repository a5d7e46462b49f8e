import { Writable } from 'node:stream'

/** The options of a command by their names, as they were given. */
export type Options = Readonly<Record<string, string | boolean | undefined>>

/** The caller's mistake in the command line itself; the exit code is 2. */
export class UsageError extends Error {}

/** Asks before something that ends sessions. A script has no terminal and says `--yes`. */
export async function confirm(effect: string, { yes }: { readonly yes: boolean }): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY)
    throw new UsageError(`${effect} Without a terminal to confirm it, --yes is required.`)
  const answer = await ask(`${effect} Continue? [y/N] `, { echo: true })
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('Nothing was changed.')
}

/** Reads a new password, never from the arguments: twice without echo in a terminal, else the first line of the input. */
export async function readNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) return readFirstLine()
  const password = await ask('New password: ', { echo: false })
  if ((await ask('Repeat it: ', { echo: false })) !== password)
    throw new Error('The two passwords differ. Nothing was changed.')
  return password
}

/** More than any password has; the input may be a file without an end. */
const inputBytesMax = 64 * 1024

async function readFirstLine(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.includes('\n') || text.length > inputBytesMax) break
  }
  const [line = ''] = text.split(/\r?\n/, 1)
  if (line === '')
    throw new UsageError('There is no password: type it in a terminal, pipe it in, or use --link.')
  return line
}

/** The question goes to standard error, so that standard output has only the result. */
async function ask(question: string, { echo }: { readonly echo: boolean }): Promise<string> {
  // Every start loads this file, but only a question needs this.
  const { createInterface } = await import('node:readline')
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({
    input: process.stdin,
    output: echo ? process.stderr : nowhere,
    // Turns off the terminal's echo before the question is printed, so that input typed early is not shown.
    terminal: true,
  })
  process.stderr.write(question)
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
