import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { status } from '@grpc/grpc-js'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { framed, grpcHeaders, openRawCalls, type RawAnswer, type RawCalls } from '../support/raw-calls.ts'
import { assertServes, goodList, listOrganizations } from './assert-serves.ts'

const messageBytesMax = 4 * 1024 ** 2

describe('a message in a wrong frame', () => {
  let host: CommandsUnderTest
  let raw: RawCalls

  before(async () => {
    host = await startCommandsUnderTest()
    raw = openRawCalls(host.target)
  })
  after(async () => {
    raw.close()
    await host.stop()
  })

  const send = (bytes: Buffer, headers: Record<string, string> = {}): Promise<RawAnswer> =>
    raw.send({ ...grpcHeaders(listOrganizations, host.administrator.token), ...headers }, bytes)
  const gzip = { 'grpc-encoding': 'gzip' }
  const good = framed(goodList)

  const refused: readonly [string, () => Promise<RawAnswer>, status][] = [
    ['that is longer than what comes', () => send(framed(goodList, { length: 3 })), status.INVALID_ARGUMENT],
    [
      'with a length of 0xffffffff',
      () => send(framed(goodList, { length: 0xffffffff })),
      status.RESOURCE_EXHAUSTED,
    ],
    [
      'with a length of 0x80000000',
      () => send(framed(goodList, { length: 0x80000000 })),
      status.RESOURCE_EXHAUSTED,
    ],
    [
      'of 4 MiB and one byte',
      () => send(framed(Buffer.alloc(messageBytesMax + 1))),
      status.RESOURCE_EXHAUSTED,
    ],
    ['that is missing', () => send(Buffer.alloc(0)), status.INVALID_ARGUMENT],
    ['of half a prefix', () => send(good.subarray(0, 3)), status.INVALID_ARGUMENT],
    ['that comes twice', () => send(Buffer.concat([good, good])), status.INVALID_ARGUMENT],
    ['that comes a hundred thousand times', () => send(Buffer.alloc(500_000)), status.INVALID_ARGUMENT],
    ['that says gzip and is not', () => send(framed(goodList, { flag: 1 }), gzip), status.INVALID_ARGUMENT],
    [
      'of half a gzip',
      () => send(framed(gzipSync(goodList).subarray(0, 15), { flag: 1 }), gzip),
      status.INVALID_ARGUMENT,
    ],
    [
      'of gzip without saying so',
      () => send(framed(gzipSync(goodList), { flag: 1 })),
      status.INVALID_ARGUMENT,
    ],
    [
      'in an unknown encoding',
      () => send(framed(goodList, { flag: 1 }), { 'grpc-encoding': 'br' }),
      status.UNIMPLEMENTED,
    ],
    [
      'that a gigabyte of zeros was packed into',
      () => send(framed(gigabyte(), { flag: 1 }), gzip),
      status.RESOURCE_EXHAUSTED,
    ],
    ['of a million zeros', () => send(framed(Buffer.alloc(1_000_000)), {}), status.INVALID_ARGUMENT],
  ]
  for (const [name, attack, wanted] of refused) {
    test(`${name} is rejected with ${status[wanted]}`, async () => {
      const answer = await attack()
      assert.equal(status[answer.status ?? -1], status[wanted], answer.message)
      assert.ok(answer.message.length > 10)
      await assertServes(host)
    })
  }

  test('is rejected by health and reflection in the same way', async () => {
    const notAMessage = framed(Buffer.from([0xff]))
    const paths = [
      '/grpc.health.v1.Health/Check',
      '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    ]
    for (const path of paths) {
      const answer = await raw.send(grpcHeaders(path), notAMessage)
      assert.equal(answer.status, status.INVALID_ARGUMENT, path)
    }
    await assertServes(host)
  })

  test('is none when gzip or deflate is said and meant', async () => {
    const answer = await send(framed(gzipSync(goodList), { flag: 1 }), gzip)
    assert.deepEqual([answer.status, answer.message], [0, 'OK'])
    assert.equal((await send(good, gzip)).status, 0)
  })

  test('ends the stream, also when the client goes on for ever', async () => {
    const answer = await raw.send(
      grpcHeaders(listOrganizations, host.administrator.token),
      framed(goodList, { length: 0x7fffffff }),
      false,
    )
    assert.equal(answer.status, status.RESOURCE_EXHAUSTED)
    assert.equal(answer.resetCode, 0)
  })
})

/** Of gzip members, which are unpacked one after the other. */
const gigabyte = (): Buffer => {
  const member = gzipSync(Buffer.alloc(64 * 1024 ** 2))
  return Buffer.concat(Array.from({ length: 16 }, () => member))
}
