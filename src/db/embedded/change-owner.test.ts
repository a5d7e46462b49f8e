import assert from 'node:assert/strict'
import { lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { changeOwner } from './accounts.ts'
import { temporaryDirectory } from './testing/stores.ts'

const skip = process.getuid?.() === 0 ? false : 'only root can change the owner of files'

test('the owner of a directory and of its contents changes', {
  skip,
}, () => {
  const directory = temporaryDirectory()
  const target = join(temporaryDirectory(), 'secret')
  writeFileSync(target, '')
  mkdirSync(join(directory, 'base', 'deep'), { recursive: true })
  writeFileSync(join(directory, 'base', 'deep', 'file'), '')
  symlinkSync(target, join(directory, 'base', 'link'))
  const user = { uid: 71_234, gid: 71_234 }
  changeOwner({ prefix: [], user }, directory)
  for (const path of ['', 'base', 'base/deep', 'base/deep/file', 'base/link'])
    assert.equal(lstatSync(join(directory, path)).uid, user.uid, path)
  assert.equal(statSync(target).uid, 0)
})
