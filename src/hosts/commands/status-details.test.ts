import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { create, createFileRegistry, type DescMessage, fromBinary, toJson } from '@bufbuild/protobuf'
import { BinaryReader } from '@bufbuild/protobuf/wire'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { status } from '@grpc/grpc-js'
import fc from 'fast-check'
import { type FieldErrors, invalid } from '../../model/problem.ts'
import { type CallError, callErrorOf } from './call-error.ts'
import { errorDetailsFile } from './protobuf/serve-standard-services.ts'
import { parseViolations, statusDetailsKey } from './status-details.ts'

const errorOf = (errors: FieldErrors): CallError => callErrorOf(invalid(errors)) as CallError

function readField(reader: BinaryReader, number: number): Uint8Array {
  let bytes: Uint8Array = new Uint8Array()
  while (reader.pos < reader.len) {
    const [next, wireType] = reader.tag()
    if (next === number) bytes = reader.bytes()
    else reader.skip(wireType, next)
  }
  return bytes
}

const bytesOf = ({ metadata }: CallError): Buffer => metadata.get(statusDetailsKey)[0] as Buffer

describe('The status of an invalid call', () => {
  test('contains every message in the order of the fields, as one text and by field', () => {
    const errors = {
      name: ['Name is required.'],
      password: ['Password must have a digit.', 'Password must have a capital.'],
      id: ['Id must be a UUID.'],
    }
    const error = errorOf(errors)
    assert.equal(error.code, status.INVALID_ARGUMENT)
    assert.equal(
      error.details,
      'Name is required. Password must have a digit. Password must have a capital. Id must be a UUID.',
    )
    assert.deepEqual(parseViolations(bytesOf(error)), errors)
  })

  test('can be decoded with the descriptions of reflection', () => {
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [errorDetailsFile()] }))
    const badRequest = registry.getMessage('google.rpc.BadRequest') as DescMessage
    const statusReader = new BinaryReader(bytesOf(errorOf({ name: ['Name is required.'] })))
    const detailsReader = new BinaryReader(readField(statusReader, 3))
    const decoded = fromBinary(badRequest, readField(detailsReader, 2))
    assert.deepEqual(toJson(badRequest, decoded), {
      fieldViolations: [{ field: 'name', description: 'Name is required.' }],
    })
  })

  test('fits the headers of common clients', () => {
    const sentence = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
    const errors = fc.dictionary(
      fc.stringMatching(/^[a-z][A-Za-z]{0,30}$/),
      fc.array(sentence, { minLength: 1, maxLength: 20 }),
      { minKeys: 1, maxKeys: 60 },
    )
    fc.assert(
      fc.property(errors, (fieldErrors) => {
        const error = errorOf(fieldErrors)
        const inText = encodeURI(error.details).length
        const inDetails = bytesOf(error).toString('base64').length
        assert.ok(inText + inDetails < 7000, `${inText} and ${inDetails} bytes`)
        const sentences = Object.values(fieldErrors).flat()
        const isPrefix = sentences.some((_, last) => sentences.slice(0, last + 1).join(' ') === error.details)
        assert.ok(isPrefix || error.details === 'One or more validation errors occurred.')
      }),
    )
  })
})
