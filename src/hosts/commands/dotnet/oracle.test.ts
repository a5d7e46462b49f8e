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
 * Compared with independent implementations of MessagePack and LZ4, so that encoder and decoder cannot share
 * a mistake.
 */
describe('compared with independent libraries', () => {
  const commandNamed = (name: string) =>
    commandsOfEdition('v1').find((command) => command.name === name) as Command

  /** Splits a long body as the .NET clients do: an array of the lengths, then each block. */
  function inBlocks(body: Uint8Array, blockBytes: number): Uint8Array {
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

  // Takes at least five bytes a block: more than 4,096 blocks are rejected.
  it('bodies compressed by another library are read, in one block and in many', () => {
    fc.assert(
      fc.property(anyBody, fc.integer({ min: 5, max: 3000 }), (body, blockBytes) => {
        assert.deepEqual(Buffer.from(decompress(inBlocks(body, blockBytes))), Buffer.from(body))
      }),
      { numRuns: 300 },
    )
  })

  it('requests written by another library are read, plain and compressed', () => {
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
        for (const body of [bytes, inBlocks(bytes, 100)]) {
          const { startDate: timestamp, ...others } = read(body)
          assert.equal(Date.parse(String(timestamp)), startDate.getTime())
          assert.deepEqual(others, fields)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('results are understood by another library', () => {
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
        const reported = decode(bytes, { extensionCodec: codec }) as Record<string, Record<string, unknown>>
        assert.deepEqual(
          [reported.Success, reported.Message, reported.Result?.TotalCount],
          [true, 'Done.', totalCount],
        )
        const read = reported.Result?.Data as readonly Record<string, unknown>[]
        assert.deepEqual(
          read.map(({ Id, Description, AmountHours, Active, CreatedAt }) => [
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
