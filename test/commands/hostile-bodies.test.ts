import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { status } from '@grpc/grpc-js'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { framed, grpcHeaders, openRawCalls, type RawAnswer, type RawCalls } from '../support/raw-calls.ts'
import { assertServes } from './assert-serves.ts'

const service = '/tracker.commands.v1.Commands'

/** The statuses that a client may get for a message of its own. */
const clientsOwn: ReadonlySet<number | undefined> = new Set([
  status.OK,
  status.INVALID_ARGUMENT,
  status.ALREADY_EXISTS,
])

describe('bytes that are hardly a message', () => {
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

  const send = (command: string, message: Uint8Array): Promise<RawAnswer> =>
    raw.send(grpcHeaders(`${service}/${command}`, host.administrator.token), framed(Buffer.from(message)))
  async function assertClientsOwn(command: string, messages: readonly Uint8Array[]) {
    for (let from = 0; from < messages.length; from += inFlight) {
      const some = messages.slice(from, from + inFlight)
      const answers = await Promise.all(some.map((message) => send(command, message)))
      for (const [index, { status: code, message }] of answers.entries()) {
        assert.ok(
          clientsOwn.has(code),
          `${Buffer.from(some[index]!).toString('hex')}: ${status[code ?? -1]} ${message}`,
        )
      }
    }
    await assertServes(host)
  }

  test('a good message cut after each byte is rejected or read, never INTERNAL', async () => {
    await assertClientsOwn('CreateAssignment', everyCut(assignment()))
    await assertClientsOwn('ListAssignments', everyCut(list()))
  })

  test('a good message with any one byte changed is rejected or read, never INTERNAL', async () => {
    await assertClientsOwn('CreateAssignment', everyMutation(assignment()))
    await assertClientsOwn('ListAssignments', everyMutation(list()))
  })

  test('unknown fields of every wire type are passed over', async () => {
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
    'groups, 100,000 deep,': () => new Uint8Array(100_000).fill(0x0b),
    'a million group ends': () => new Uint8Array(1_000_000).fill(0x0c),
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
    test(`${name}: the message could not be read`, async () => {
      const { status: code, message } = await send('ListOrganizations', bytes())
      assert.deepEqual([code, message], [status.INVALID_ARGUMENT, 'The message could not be read.'])
      await assertServes(host)
    })
  }

  test('messages in messages, 100,000 deep, are passed over where nothing is known of them', async () => {
    const nested = Buffer.alloc(400_000)
    for (let depth = 0; depth < 100_000; depth += 1) {
      nested.writeUInt8(0x7a, depth * 4)
      const left = nested.length - depth * 4 - 4
      nested.writeUInt8((left & 0x7f) | 0x80, depth * 4 + 1)
      nested.writeUInt8(((left >> 7) & 0x7f) | 0x80, depth * 4 + 2)
      nested.writeUInt8(left >> 14, depth * 4 + 3)
    }
    const message = Buffer.concat([Buffer.from([0x0a, 0x00]), nested])
    assert.equal((await send('ListOrganizations', message)).status, status.OK)
    await assertServes(host)
  })

  test('a list of a million ids is rejected before it is read to its end', async () => {
    const ids = Buffer.alloc(2_000_000)
    for (let at = 0; at < ids.length; at += 2) ids.writeUInt8(0x0a, at)
    const startedAt = performance.now()
    const { status: code, message } = await send('RemoveOrganization', ids)
    assert.deepEqual([code, message], [status.INVALID_ARGUMENT, 'The message could not be read.'])
    assert.ok(performance.now() - startedAt < 1500, 'It takes no longer than its bytes need to arrive.')
    await assertServes(host)
  })

  test('a list of ten thousand ids hears how many there may be', async () => {
    const writer = new BinaryWriter()
    for (let count = 0; count < 10_000; count += 1)
      writer.tag(1, WireType.LengthDelimited).string(randomUUID())
    const { status: code, message } = await send('RemoveOrganization', writer.finish())
    assert.deepEqual([code, message], [status.INVALID_ARGUMENT, 'Ids must contain 1 to 100 UUIDs.'])
  })

  test('a field that is there a hundred thousand times is what it was last', async () => {
    const writer = new BinaryWriter()
    for (let count = 0; count < 100_000; count += 1) {
      writer.tag(1, WireType.LengthDelimited).fork().tag(2, WireType.Varint).int32(101).join()
    }
    writer.tag(1, WireType.LengthDelimited).fork().tag(2, WireType.Varint).int32(1).join()
    assert.equal((await send('ListOrganizations', writer.finish())).status, status.OK)
  })

  test('timestamps that no calendar has are rejected under their field', async () => {
    for (const seconds of ['9223372036854775807', '-9223372036854775808', '253402300800']) {
      const writer = new BinaryWriter()
      writer.tag(4, WireType.LengthDelimited).fork().tag(1, WireType.Varint).int64(seconds).join()
      assert.equal((await send('CreateAssignment', writer.finish())).status, status.INVALID_ARGUMENT)
    }
    const nanoseconds = new BinaryWriter()
    nanoseconds.tag(4, WireType.LengthDelimited).fork().tag(2, WireType.Varint).int32(-1).join()
    assert.equal((await send('CreateAssignment', nanoseconds.finish())).status, status.INVALID_ARGUMENT)
  })
})

const inFlight = 100
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

/** Each byte plus one, inverted, with its first bit inverted, and as zero. */
const everyMutation = (bytes: Uint8Array): Uint8Array[] =>
  [...bytes].flatMap((byte, at) =>
    [byte + 1, ~byte, byte ^ 0x80, 0x00].map((changed) => {
      const copy = Uint8Array.from(bytes)
      copy[at] = changed
      return copy
    }),
  )
