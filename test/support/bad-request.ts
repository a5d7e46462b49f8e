import { BinaryReader, type WireType } from '@bufbuild/protobuf/wire'
import type { Metadata } from '@grpc/grpc-js'

/** The violations in the google.rpc.BadRequest of an error: sentences by field. */
export function violationsIn(metadata: Metadata): Readonly<Record<string, readonly string[]>> {
  const [details] = metadata.get('grpc-status-details-bin')
  const violations: Record<string, string[]> = {}
  if (!(details instanceof Buffer)) return violations
  for (const any of fieldsIn(details).get(3) ?? []) {
    const badRequest = fieldsIn(any).get(2)?.[0]
    for (const violation of badRequest ? (fieldsIn(badRequest).get(1) ?? []) : []) {
      const [field = '', description = ''] = [1, 2].map((number) =>
        String(fieldsIn(violation).get(number)?.[0]),
      )
      violations[field] = [...(violations[field] ?? []), description]
    }
  }
  return violations
}

/** The length-delimited fields of a message, by their numbers. */
function fieldsIn(bytes: Uint8Array): Map<number, Buffer[]> {
  const reader = new BinaryReader(bytes)
  const found = new Map<number, Buffer[]>()
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    if (wireType === lengthDelimited) {
      found.set(number, [...(found.get(number) ?? []), Buffer.from(reader.bytes())])
    } else {
      reader.skip(wireType, number)
    }
  }
  return found
}

const lengthDelimited: WireType.LengthDelimited = 2
