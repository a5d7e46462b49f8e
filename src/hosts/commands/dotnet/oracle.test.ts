import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decode, ExtData, ExtensionCodec, encode } from '@msgpack/msgpack'
import fc from 'fast-check'
import { compress } from 'lz4-wasm-nodejs'
import type { Command } from '../commands.ts'
import { commandsOfEdition } from '../main.ts'
import { decompress } from './decompress.ts'
import { messagePack } from './message-pack.ts'

/**
 * Tests with independent implementations of MessagePack and LZ4, so that encoder and decoder cannot share a
 * mistake.
 */
describe('Independent libraries', () => {
  const commandNamed = (name: string) =>
    commandsOfEdition('v1').find((command) => command.name === name) as Command

  /** Splits a long body as the .NET clients do: an array of the lengths, then each block. */
  function compressInBlocks(body: Uint8Array, blockBytes: number): Uint8Array {
    const blocks = Array.from({ length: Math.ceil(body.length / blockBytes) }, (_, index) =>
      body.subarray(index * blockBytes, (index + 1) * blockBytes),
    )
    const lengths = Buffer.concat(blocks.map((block) => encode(block.length)))
    // The library prefixes the raw block with its length.
    return encode([new ExtData(98, lengths), ...blocks.map((block) => compress(block).subarray(4))])
  }

  const anyBody = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 5000 }),
    fc
      .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 500 }))
      .map(([part, times]) => Buffer.concat(Array.from({ length: times }, () => part))),
  )

  // Blocks have at least five bytes, because more than 4,096 blocks would be rejected.
  it('compress bodies that can be read, in one block and in many', () => {
    fc.assert(
      fc.property(anyBody, fc.integer({ min: 5, max: 3000 }), (body, blockBytes) => {
        assert.deepEqual(Buffer.from(decompress(compressInBlocks(body, blockBytes))), Buffer.from(body))
      }),
      { numRuns: 300 },
    )
  })

  it('write requests that can be read, plain and compressed', () => {
    const read = messagePack.reader(commandNamed('CreateAssignment').request)
    const request = fc.record({
      name: fc.string({ unit: 'grapheme', maxLength: 400 }),
      description: fc.option(fc.string({ unit: 'grapheme', maxLength: 400 })),
      startDate: fc.date({ min: new Date(0), max: new Date(253_402_300_799_999), noInvalidDate: true }),
      amountHours: fc.oneof(fc.integer(), fc.double({ noNaN: true })).map((value) => value + 0),
      projectId: fc.uuid(),
    })
    fc.assert(
      fc.property(request, ({ startDate, ...fields }) => {
        const bytes = encode({ ...pascalCased(fields), StartDate: startDate })
        for (const body of [bytes, compressInBlocks(bytes, 100)]) {
          const { startDate: timestamp, ...otherFields } = read(body)
          assert.equal(Date.parse(String(timestamp)), startDate.getTime())
          assert.deepEqual(otherFields, fields)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('read the results', () => {
    const write = messagePack.writer(commandNamed('ListAppointments').result)
    const codec = new ExtensionCodec()
    const record = fc.record({
      id: fc.uuid(),
      description: fc.option(fc.string({ unit: 'grapheme', maxLength: 300 })),
      amountHours: fc.double({ min: 0, max: 100_000, noNaN: true }).map((value) => value + 0),
      active: fc.boolean(),
      createdAt: fc.date({ min: new Date(0), max: new Date(253_402_300_799_999), noInvalidDate: true }),
    })
    fc.assert(
      fc.property(fc.array(record, { maxLength: 30 }), fc.nat(), (rows, totalCount) => {
        const data = rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
        const bytes = write({ success: true, message: 'Done.', result: { data, totalCount } })
        const decoded = decode(bytes, { extensionCodec: codec }) as Record<string, Record<string, unknown>>
        assert.deepEqual(
          [decoded.Success, decoded.Message, decoded.Result?.TotalCount],
          [true, 'Done.', totalCount],
        )
        const decodedRows = decoded.Result?.Data as readonly Record<string, unknown>[]
        assert.deepEqual(
          decodedRows.map(({ Id, Description, AmountHours, Active, CreatedAt }) => [
            Id,
            Description,
            AmountHours,
            Active,
            (CreatedAt as Date).getTime(),
          ]),
          rows.map((row) => [row.id, row.description, row.amountHours, row.active, row.createdAt.getTime()]),
        )
      }),
      { numRuns: 200 },
    )
  })
})

const pascalCased = (value: object) =>
  Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key.charAt(0).toUpperCase() + key.slice(1), each]),
  )
