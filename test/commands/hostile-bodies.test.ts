import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { constants } from 'node:http2'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { Metadata, status } from '@grpc/grpc-js'
import { pageSizeMax } from '../../src/records/list-query.ts'
import { violationsIn } from '../support/assertions.ts'
import { serveByChildren } from '../support/child-commands.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { fixture } from '../support/fixture.ts'
import { framed, grpcHeaders, openRawCalls, type RawAnswer } from '../support/raw-calls.ts'
import { assertServes, listMessage, listOrganizations } from './assert-serves.ts'

const service = '/tracker.commands.v1.Commands'

/** The statuses that a damaged message may result in. */
const allowedStatuses: ReadonlySet<number | undefined> = new Set([
  status.OK,
  status.INVALID_ARGUMENT,
  status.ALREADY_EXISTS,
])

describe('Hostile protobuf messages', () => {
  const host = fixture(startCommandsUnderTest)
  const raw = fixture(() => openRawCalls(host.target))

  const send = (command: string, message: Uint8Array): Promise<RawAnswer> =>
    raw.send(grpcHeaders(`${service}/${command}`, host.administrator.token), framed(Buffer.from(message)))
  async function assertAllowed(command: string, messages: readonly Uint8Array[]) {
    for (let start = 0; start < messages.length; start += batchSize) {
      const batch = messages.slice(start, start + batchSize)
      const answers = await Promise.all(batch.map((message) => send(command, message)))
      for (const [index, { status: code, message }] of answers.entries()) {
        assert.ok(
          allowedStatuses.has(code),
          `${Buffer.from(batch[index]!).toString('hex')}: ${status[code ?? -1]} ${message}`,
        )
      }
    }
    await assertServes(host)
  }

  test('a valid message that is cut after any byte is rejected or read, never INTERNAL', async () => {
    await assertAllowed('CreateAssignment', everyCut(assignment()))
    await assertAllowed('ListAssignments', everyCut(list()))
  })

  test('a valid message with any one byte changed is rejected or read, never INTERNAL', async () => {
    await assertAllowed('CreateAssignment', everyMutation(assignment()))
    await assertAllowed('ListAssignments', everyMutation(list()))
  })

  test('unknown fields of every wire type are skipped', async () => {
    const writer = new BinaryWriter()
    writer.tag(1, WireType.LengthDelimited).bytes(new Uint8Array())
    writer.tag(1000, WireType.Varint).uint64('18446744073709551615')
    writer.tag(1001, WireType.Bit64).fixed64(1)
    writer.tag(1002, WireType.Bit32).fixed32(1)
    writer.tag(1003, WireType.LengthDelimited).string('unknown')
    writer.tag(1004, WireType.StartGroup).tag(1, WireType.Varint).int32(1).tag(1004, WireType.EndGroup)
    writer.tag(536870911, WireType.Varint).int32(-1)
    assert.equal((await send('ListOrganizations', writer.finish())).status, status.OK)
  })

  const unreadable: Readonly<Record<string, () => Uint8Array>> = {
    'a group, nested 100,000 deep,': () => new Uint8Array(100_000).fill(0x0b),
    'a sequence of a million group ends': () => new Uint8Array(1_000_000).fill(0x0c),
    'a length of -1': () => Uint8Array.from([0x0a, ...minusOne]),
    'a length of two gigabytes': () => Uint8Array.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x07]),
    'a varint without an end': () => new Uint8Array(1000).fill(0xff),
    'field number 0': () => Uint8Array.from([0x00, 0x00]),
    'wire type 7': () => Uint8Array.from([0x0f, 0x00]),
    'an unknown field of length -1': () => Uint8Array.from([0xfa, 0x3e, ...minusOne]),
    'a string that is not UTF-8': () => Uint8Array.from([0x0a, 0x05, 0x2a, 0x03, 0xc3, 0x28, 0x41]),
    'half a surrogate pair': () => Uint8Array.from([0x0a, 0x05, 0x2a, 0x03, 0xed, 0xa0, 0x80]),
  }
  for (const [name, bytes] of Object.entries(unreadable)) {
    test(`${name} cannot be read`, async () => {
      const { status: code, message } = await send('ListOrganizations', bytes())
      assert.deepEqual([code, message], [status.INVALID_ARGUMENT, 'The message could not be read.'])
      await assertServes(host)
    })
  }

  test('messages that are nested 100,000 deep in an unknown field are skipped', async () => {
    const nested = Buffer.alloc(400_000)
    // Each level is field 15, with a length in three bytes that includes all deeper levels.
    for (let depth = 0; depth < 100_000; depth += 1) {
      nested.writeUInt8(0x7a, depth * 4)
      const length = nested.length - depth * 4 - 4
      nested.writeUInt8((length & 0x7f) | 0x80, depth * 4 + 1)
      nested.writeUInt8(((length >> 7) & 0x7f) | 0x80, depth * 4 + 2)
      nested.writeUInt8(length >> 14, depth * 4 + 3)
    }
    const message = Buffer.concat([Buffer.from([0x0a, 0x00]), nested])
    assert.equal((await send('ListOrganizations', message)).status, status.OK)
    await assertServes(host)
  })

  test('a list of a million ids is rejected before all of it is parsed', async () => {
    const ids = Buffer.alloc(2_000_000)
    for (let at = 0; at < ids.length; at += 2) ids.writeUInt8(0x0a, at)
    const startedAt = process.cpuUsage()
    const { status: code, message } = await send('RemoveOrganization', ids)
    assert.deepEqual([code, message], [status.INVALID_ARGUMENT, 'The message could not be read.'])
    // Unlike the time, the work does not depend on what else the machine does.
    const { user, system } = process.cpuUsage(startedAt)
    assert.ok(user + system < 1_500_000, 'The host did more than the bytes need to arrive.')
    await assertServes(host)
  })

  test('a list of ten thousand ids results in an error with the allowed number', async () => {
    const writer = new BinaryWriter()
    for (let count = 0; count < 10_000; count += 1)
      writer.tag(1, WireType.LengthDelimited).string(randomUUID())
    const { status: code, message } = await send('RemoveOrganization', writer.finish())
    assert.deepEqual([code, message], [status.INVALID_ARGUMENT, 'Ids must contain 1 to 100 UUIDs.'])
  })

  test('a field that is repeated a hundred thousand times has its last value', async () => {
    const writer = new BinaryWriter()
    const addPageSize = (pageSize: number) =>
      writer.tag(1, WireType.LengthDelimited).fork().tag(2, WireType.Varint).int32(pageSize).join()
    for (let count = 0; count < 100_000; count += 1) addPageSize(pageSizeMax + 1)
    addPageSize(1)
    assert.equal((await send('ListOrganizations', writer.finish())).status, status.OK)
  })

  /** Returns the messages about the start of an assignment that has no other field. */
  const startDateErrors = async (seconds: string, nanoseconds: number) => {
    const writer = new BinaryWriter()
    writer.tag(4, WireType.LengthDelimited).fork()
    writer.tag(1, WireType.Varint).int64(seconds).tag(2, WireType.Varint).int32(nanoseconds).join()
    const answer = await send('CreateAssignment', writer.finish())
    assert.equal(answer.status, status.INVALID_ARGUMENT)
    const { startDate, ...errorsOfMissingFields } = violationsOf(answer)
    assert.ok('name' in errorsOfMissingFields)
    return startDate
  }

  test('the first and the last possible timestamp are accepted', async () => {
    assert.equal(await startDateErrors('-62135596800', 0), undefined)
    assert.equal(await startDateErrors('253402300799', 999_999_999), undefined)
  })

  for (const { name, seconds, nanoseconds } of [
    { name: 'the most seconds', seconds: '9223372036854775807', nanoseconds: 0 },
    { name: 'the fewest seconds', seconds: '-9223372036854775808', nanoseconds: 0 },
    { name: 'a second after the year 9999', seconds: '253402300800', nanoseconds: 0 },
    { name: 'a second before the year 1', seconds: '-62135596801', nanoseconds: 0 },
    { name: 'fewer than 0 nanoseconds', seconds: '0', nanoseconds: -1 },
    { name: 'a whole second of nanoseconds', seconds: '0', nanoseconds: 1_000_000_000 },
  ] as const)
    test(`a timestamp with ${name} is rejected under its field`, async () => {
      assert.deepEqual(await startDateErrors(seconds, nanoseconds), [
        'StartDate must be an ISO-8601 date and time.',
      ])
    })
})

function violationsOf({ headers }: RawAnswer) {
  const metadata = new Metadata()
  const details = String(headers['grpc-status-details-bin'] ?? '')
  metadata.set('grpc-status-details-bin', Buffer.from(details, 'base64'))
  return violationsIn(metadata)
}

const batchSize = 100
/** The varint of -1. */
const minusOne = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]

function assignment(): Uint8Array {
  const id = '00000000-0000-4000-8000-000000000001'
  const writer = new BinaryWriter()
  writer.tag(2, WireType.LengthDelimited).string('Größe 🚀')
  for (const number of [4, 5]) {
    writer.tag(number, WireType.LengthDelimited).fork()
    writer.tag(1, WireType.Varint).int64(1_790_000_000).tag(2, WireType.Varint).int32(123_456_000).join()
  }
  writer.tag(6, WireType.Bit64).double(1.5)
  for (const number of [7, 8, 9, 10]) writer.tag(number, WireType.LengthDelimited).string(id)
  return writer.finish()
}

function list(): Uint8Array {
  const writer = new BinaryWriter()
  writer.tag(1, WireType.LengthDelimited).fork()
  writer.tag(1, WireType.Varint).int32(1).tag(2, WireType.Varint).int32(5)
  writer.tag(4, WireType.LengthDelimited).string('DESC').tag(5, WireType.LengthDelimited).string('Größe')
  writer.tag(12, WireType.LengthDelimited).string('2026-01-01').join()
  return writer.finish()
}

const everyCut = (bytes: Uint8Array): Uint8Array[] =>
  Array.from(bytes, (_, length) => bytes.subarray(0, length))

/** Returns copies with one changed byte. */
const everyMutation = (bytes: Uint8Array): Uint8Array[] =>
  [...bytes].flatMap((byte, at) =>
    [byte + 1, ~byte, byte ^ 0x80, 0x00].map((changed) => {
      const copy = Uint8Array.from(bytes)
      copy[at] = changed
      return copy
    }),
  )

const messageBytesMax = 4 * 1024 ** 2

/** A prefix of zeros announces an empty message without compression. */
const framePrefixBytes = 5

describe('A message in a frame', () => {
  const host = fixture(startCommandsUnderTest)
  const raw = fixture(() => openRawCalls(host.target))

  const send = (bytes: Buffer, headers: Record<string, string> = {}): Promise<RawAnswer> =>
    raw.send({ ...grpcHeaders(listOrganizations, host.administrator.token), ...headers }, bytes)
  const gzip = { 'grpc-encoding': 'gzip' }
  const valid = framed(listMessage)

  interface Attack {
    readonly name: string
    readonly attack: () => Promise<RawAnswer>
    readonly expected: status
  }
  const attacks: readonly Attack[] = [
    {
      name: 'that ends before its length',
      attack: () => send(framed(listMessage, { length: 3 })),
      expected: status.INVALID_ARGUMENT,
    },
    {
      name: 'with a length of 0xffffffff',
      attack: () => send(framed(listMessage, { length: 0xffffffff })),
      expected: status.RESOURCE_EXHAUSTED,
    },
    {
      name: 'with a length of 0x80000000',
      attack: () => send(framed(listMessage, { length: 0x80000000 })),
      expected: status.RESOURCE_EXHAUSTED,
    },
    {
      name: 'of 4 MiB and one byte',
      attack: () => send(framed(Buffer.alloc(messageBytesMax + 1))),
      expected: status.RESOURCE_EXHAUSTED,
    },
    { name: 'that is missing', attack: () => send(Buffer.alloc(0)), expected: status.INVALID_ARGUMENT },
    {
      name: 'of half a prefix',
      attack: () => send(valid.subarray(0, 3)),
      expected: status.INVALID_ARGUMENT,
    },
    {
      name: 'that comes twice',
      attack: () => send(Buffer.concat([valid, valid])),
      expected: status.INVALID_ARGUMENT,
    },
    {
      name: 'that is empty and comes a hundred thousand times',
      attack: () => send(Buffer.alloc(100_000 * framePrefixBytes)),
      expected: status.INVALID_ARGUMENT,
    },
    {
      name: 'that is declared as gzip but is not',
      attack: () => send(framed(listMessage, { flag: 1 }), gzip),
      expected: status.INVALID_ARGUMENT,
    },
    {
      name: 'of half a gzip',
      attack: () => send(framed(gzipSync(listMessage).subarray(0, 15), { flag: 1 }), gzip),
      expected: status.INVALID_ARGUMENT,
    },
    {
      name: 'of gzip that is not declared',
      attack: () => send(framed(gzipSync(listMessage), { flag: 1 })),
      expected: status.INVALID_ARGUMENT,
    },
    {
      name: 'in an unknown encoding',
      attack: () => send(framed(listMessage, { flag: 1 }), { 'grpc-encoding': 'br' }),
      expected: status.UNIMPLEMENTED,
    },
    {
      name: 'that decompresses to a gigabyte of zeros',
      attack: () => send(framed(compressedGigabyte(), { flag: 1 }), gzip),
      expected: status.RESOURCE_EXHAUSTED,
    },
    {
      name: 'of a million zeros',
      attack: () => send(framed(Buffer.alloc(1_000_000))),
      expected: status.INVALID_ARGUMENT,
    },
  ]
  for (const { name, attack, expected } of attacks) {
    test(`${name} is rejected with ${status[expected]}`, async () => {
      const answer = await attack()
      assert.equal(status[answer.status ?? -1], status[expected], answer.message)
      assert.ok(answer.message.length > 10)
      await assertServes(host)
    })
  }

  test('is rejected by health and reflection, too, if it cannot be read', async () => {
    const unreadableMessage = framed(Buffer.from([0xff]))
    const paths = [
      '/grpc.health.v1.Health/Check',
      '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    ]
    for (const path of paths) {
      const answer = await raw.send(grpcHeaders(path), unreadableMessage)
      assert.equal(answer.status, status.INVALID_ARGUMENT, path)
    }
    await assertServes(host)
  })

  test('is read if it is declared as gzip', async () => {
    const answer = await send(framed(gzipSync(listMessage), { flag: 1 }), gzip)
    assert.deepEqual([answer.status, answer.message], [0, 'OK'])
    assert.equal((await send(valid, gzip)).status, 0)
  })

  test('that is too long ends the stream', async () => {
    const answer = await raw.send(
      grpcHeaders(listOrganizations, host.administrator.token),
      framed(listMessage, { length: 0x7fffffff }),
      false,
    )
    assert.equal(answer.status, status.RESOURCE_EXHAUSTED)
    assert.equal(answer.resetCode, 0)
  })
})

/** Returns a sequence of gzip members with a gigabyte of zeros. */
const compressedGigabyte = (): Buffer => {
  const member = gzipSync(Buffer.alloc(64 * 1024 ** 2))
  return Buffer.concat(Array.from({ length: 16 }, () => member))
}

describe('The memory of a command host', () => {
  const served = fixture(() => serveByChildren(1))
  const theChild = () => served.children[0] ?? assert.fail()

  /**
   * After the first attack, the process has the size that the attack requires. The second must not add to it.
   */
  async function assertReleased(attack: () => Promise<void>) {
    const { token } = served
    const child = theChild()
    await attack()
    const before = await child.residentBytes()
    await attack()
    await assertServes({ target: child.target, administrator: { token } as never })
    const grown = Math.round(((await child.residentBytes()) - before) / 1024 ** 2)
    assert.ok(grown < grownMebibytesMax, `It grew by ${grown} MiB.`)
    assert.equal(child.output().includes('"level":50'), false, child.output())
  }

  test('does not grow with gzip bombs', () =>
    assertReleased(async () => {
      const bomb = framed(gzipSync(Buffer.alloc(32 * 1024 ** 2)), { flag: 1 })
      const headers = { ...grpcHeaders(listOrganizations, served.token), 'grpc-encoding': 'gzip' }
      await using raw = openRawCalls(theChild().target)
      const answers = await Promise.all(Array.from({ length: 100 }, () => raw.send(headers, bomb)))
      for (const answer of answers) assert.equal(answer.status, status.RESOURCE_EXHAUSTED)
    }))

  test('does not grow with streams that are opened and reset', () =>
    assertReleased(async () => {
      for (let connection = 0; connection < 20; connection += 1) {
        await using raw = openRawCalls(theChild().target)
        for (let opened = 0; opened < 500; opened += 1) {
          const stream = raw.session.request({
            ...grpcHeaders(listOrganizations, served.token),
            ':method': 'POST',
          })
          stream.on('error', () => undefined)
          stream.close(constants.NGHTTP2_CANCEL)
        }
        await sleep(5)
      }
    }))
})

/** Garbage collection may leave this much behind for a while. The attacks would take gigabytes. */
const grownMebibytesMax = 150
