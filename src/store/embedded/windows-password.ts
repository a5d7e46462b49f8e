import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** On Windows the server listens on a port that every local user reaches, so it asks for a password. */
export function passwordIn(directory: string): string {
  const file = fileIn(directory)
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

export function passwordArguments(directory: string): readonly string[] {
  passwordIn(directory)
  return ['--auth=scram-sha-256', `--pwfile=${fileIn(directory)}`]
}

const fileIn = (directory: string) => join(directory, 'postgres.password')
