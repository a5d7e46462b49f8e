import assert from 'node:assert/strict'
import { lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { changeOwner } from './accounts.ts'
import { temporaryDirectory } from './test-stores.ts'

const skip = process.getuid?.() === 0 ? false : 'only root can change the owner of files'

test('a directory changes its owner with all its contents, never the target of a link', { skip }, () => {
  const [directory, elsewhere] = [temporaryDirectory(), join(temporaryDirectory(), 'secret')]
  writeFileSync(elsewhere, '')
  mkdirSync(join(directory, 'base', 'deep'), { recursive: true })
  writeFileSync(join(directory, 'base', 'deep', 'file'), '')
  symlinkSync(elsewhere, join(directory, 'base', 'link'))
  const user = { uid: 71_234, gid: 71_234 }
  changeOwner({ prefix: [], user }, directory)
  for (const path of ['', 'base', 'base/deep', 'base/deep/file', 'base/link'])
    assert.equal(lstatSync(join(directory, path)).uid, user.uid, path)
  assert.equal(statSync(elsewhere).uid, 0)
})
