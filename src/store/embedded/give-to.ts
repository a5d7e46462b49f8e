import { lchownSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from './accounts.ts'

/** Root gives a folder with all that is in it to the account that will work on it; other accounts keep theirs. */
export function giveTo({ user }: Account, folder: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = user ?? { uid: 0, gid: 0 }
  if (statSync(folder).uid === uid) return
  // Closed to its former owner, who could put a link where this is about to work; so it is changed last.
  lchownSync(folder, 0, 0)
  giveContents(folder, uid, gid)
  lchownSync(folder, uid, gid)
}

function giveContents(folder: string, uid: number, gid: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    lchownSync(path, uid, gid)
    if (lstatSync(path).isDirectory()) giveContents(path, uid, gid)
  }
}
