import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  promises,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readArchive, writeArchive } from './archive.ts'
import { requireNoConflictingSecrets } from './files.ts'

describe('The file of a backup', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'archive-'))
    file = join(folder, 'a.backup')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const write = () => writeArchive({ file }, async (archive) => void (await archive.json({ row: 1 })))
  async function read(key?: Buffer): Promise<unknown[]> {
    const values: unknown[] = []
    for await (const part of readArchive({ file, key }))
      values.push(part.kind === 'json' ? part.value : part.piece)
    return values
  }

  it('is read as it was written', async () => {
    await write()
    assert.deepEqual(await read(), [{ row: 1 }])
    assert.deepEqual(readdirSync(folder), ['a.backup'])
  })

  const key = Buffer.alloc(32, 1)
  const pieceBytes = 64 * 1024
  // These sizes take less than one encrypted piece, about three, and many.
  for (const bytes of [0, 1000, pieceBytes * 3 - 1, pieceBytes * 3, 500_000])
    it(`can be encrypted, and decrypted with its key, with a table of ${bytes} bytes`, async () => {
      const piece = randomBytes(bytes)
      await writeArchive({ file, key }, async (archive) => {
        await archive.json({ secret: 'legible' })
        await archive.data(piece)
      })
      assert.deepEqual(await read(key), [{ secret: 'legible' }, piece])
      assert.ok(readFileSync(file).toString('latin1').startsWith('tracker backup, encrypted 1\n'))
    })

  it('is rejected if its key is missing or if any part was changed', async () => {
    await writeArchive({ file, key }, async (archive) => void (await archive.data(randomBytes(300_000))))
    await assert.rejects(read(), /a\.backup is encrypted\. Add --key-file with its key\./)
    await assert.rejects(read(Buffer.alloc(32, 2)), /the key belongs to another backup/)
    const whole = readFileSync(file)
    const [lineBytes, saltBytes, tagBytes] = [28, 32, 16]
    const [start, piece] = [lineBytes + saltBytes, pieceBytes + tagBytes]
    const reordered = Buffer.concat([
      whole.subarray(0, start),
      whole.subarray(start + piece, start + 2 * piece),
      whole.subarray(start, start + piece),
      whole.subarray(start + 2 * piece),
    ])
    const flipped = Buffer.from(whole)
    flipped[start + piece + 5] = (flipped[start + piece + 5] ?? 0) ^ 1
    const changed = {
      reordered,
      flipped,
      'cut after a piece': whole.subarray(0, start + 2 * piece),
      'cut within a piece': whole.subarray(0, -100),
      'cut before the pieces': whole.subarray(0, start),
    }
    for (const [how, bytes] of Object.entries(changed)) {
      writeFileSync(file, bytes)
      await assert.rejects(read(key), /a\.backup cannot be restored: it was changed or truncated/, how)
    }
  })

  it('is not written if a file with its name exists', async () => {
    writeFileSync(file, 'precious')
    let isWriting = false
    const writing = writeArchive({ file }, async () => {
      isWriting = true
    })
    await assert.rejects(writing, { message: `${file} already exists and is not overwritten.` })
    assert.equal(isWriting, false)
    assert.equal(readFileSync(file, 'utf8'), 'precious')
  })

  /** Makes hard links fail, as on exFAT and on some network file systems. */
  function withoutHardLinks(t: TestContext) {
    const link = t.mock.method(promises, 'link', async () => {
      throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' })
    })
    syncBuiltinESMExports()
    t.after(() => {
      link.mock.restore()
      syncBuiltinESMExports()
    })
  }

  it('is written to a volume without hard links, too', async (t) => {
    withoutHardLinks(t)
    await write()
    assert.deepEqual(await read(), [{ row: 1 }])
    assert.deepEqual(readdirSync(folder), ['a.backup'])
    assert.equal(statSync(file).mode & 0o777, 0o600)
  })

  for (const links of ['with', 'without'])
    it(`is kept as .partial, ${links} hard links, if another program has created its file meanwhile`, async (t) => {
      if (links === 'without') withoutHardLinks(t)
      const writing = writeArchive({ file }, async (archive) => {
        await archive.json({ row: 1 })
        writeFileSync(file, 'precious')
      })
      const partial = `${file}.partial`
      await assert.rejects(writing, {
        message: `${file} already exists and is not overwritten. The backup is complete in ${partial}.`,
      })
      assert.equal(readFileSync(file, 'utf8'), 'precious')
      file = partial
      assert.deepEqual(await read(), [{ row: 1 }])
    })

  it('cannot have a record that is too large to be read: writing it fails', async () => {
    const writing = writeArchive({ file }, async (archive) => {
      await archive.data(Buffer.allocUnsafe(256 * 1024 ** 2 + 1))
    })
    await assert.rejects(writing, { message: 'A row is larger than a backup can hold.' })
    assert.deepEqual(readdirSync(folder), [])
  })

  it('is rejected if there is data after the checksum', async () => {
    await write()
    appendFileSync(file, gzipSync('more'))
    await assert.rejects(read(), { message: `${file} cannot be restored: there is data after its checksum.` })
  })
})

describe('The secrets of a backup', () => {
  it('conflict with an existing file that cannot be read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'archive-'))
    try {
      const files = { 'identity-secret': 'of the backup' }
      await requireNoConflictingSecrets(files, folder)
      mkdirSync(join(folder, 'identity-secret'))
      await assert.rejects(requireNoConflictingSecrets(files, folder), { code: 'EISDIR' })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
