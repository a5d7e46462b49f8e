// biome-ignore-all lint/suspicious/noConsole: it prints what it has tried.
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { readAttachmentSettings } from '../../../src/config/host-settings.ts'
import { readSettings } from '../../../src/config/settings.ts'
import { openS3Store } from '../../../src/features/attachments/s3-store.ts'
import { Problem } from '../../../src/model/problem.ts'

/** Tries every operation that the tracker needs, on the store that the environment names. */
const { s3 } = readSettings(process.env, readAttachmentSettings)
assert.ok(s3, 'Attachments__S3__… is not set')
const store = openS3Store(s3)
const folder = await mkdtemp(join(tmpdir(), 's3-'))

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
async function put(bytes: Buffer, hash = sha256(bytes)): Promise<string> {
  const id = randomUUID()
  const path = join(folder, id)
  await writeFile(path, bytes)
  await store.put(id, { path, size: bytes.length, sha256: hash })
  return id
}
const read = async (id: string, size: number, start = 0, end = size - 1) =>
  buffer(await store.read(id, { size }, { start, end }))
const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => assert.fail('It was not rejected.'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof Problem && error.kind === 'overloaded', String(error))
  return String(error.cause)
}

const large = randomBytes(25 * 1024 ** 2)
const id = await put(large)
assert.deepEqual(await readdir(folder), [], 'the uploaded file is gone')
assert.equal(sha256(await read(id, large.length)), sha256(large))
assert.deepEqual(await read(id, large.length, 5, 9), large.subarray(5, 10))
assert.deepEqual(await read(id, large.length, large.length - 1), large.subarray(-1))

const small = await Promise.all(Array.from({ length: 16 }, (_, index) => put(Buffer.from(`file ${index}`))))
for (const [index, smallId] of small.entries())
  assert.equal(String(await read(smallId, `file ${index}`.length)), `file ${index}`)

assert.match(await reasonOf(read(id, large.length + 1)), /another size/)
const [, , name, hashOption] = process.argv
// S3 checks hashes. A server without this check cannot notice bytes that were changed in transit.
if (hashOption !== 'no-hashes') {
  const changed = put(Buffer.from('changed'), sha256(Buffer.from('other')))
  assert.match(await reasonOf(changed), /answered with 4\d\d/)
}
const stranger = openS3Store({ ...s3, secretKey: `${s3.secretKey}x` })
assert.match(await reasonOf(stranger.delete(id)), /answered with 403: .*SignatureDoesNotMatch/s)
assert.equal((await read(id, large.length, 0, 0)).length, 1)

for (const fileId of [id, ...small]) await store.delete(fileId)
await store.delete(id)
assert.match(await reasonOf(read(id, large.length)), /answered with 404/)
await rm(folder, { recursive: true })
console.log(`${name}: files were stored, read in parts and deleted, and a wrong secret was rejected.`)
// The agent keeps connections to the store open, so the process would not end by itself.
process.exit()
